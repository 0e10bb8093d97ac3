import { createHmac } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { command as signCommand } from '../../../src/cli/commands/sign.ts';
import { command as verifyCommand } from '../../../src/cli/commands/verify.ts';
import { ExitCode } from '../../../src/errors.ts';
import { createFakeContext, type FakeOptions, NOW } from '../fake-context.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-signature-'));
afterAll(() => rmSync(folder, { recursive: true }));

const secret = ['whsec_a'];
const payload = '{"data":{"id":"evt_1"}}';

async function sign(options: Partial<Parameters<typeof signCommand.run>[0]> = {}, fake: FakeOptions = {}) {
  const { context, capturedOutput } = createFakeContext({ json: true, ...fake });
  await signCommand.run({ payload, secret, ...options }, context);
  return JSON.parse(capturedOutput.out);
}

async function verify(options: Parameters<typeof verifyCommand.run>[0], fake: FakeOptions = {}) {
  const { context, capturedOutput } = createFakeContext({ json: true, cwd: folder, ...fake });
  const exitCode = await verifyCommand.run(options, context);
  return { exitCode, ...JSON.parse(capturedOutput.out) };
}

async function signedOptions(at?: (now: number) => number) {
  const { headers } = await sign(at ? { at } : {});
  return {
    secret,
    payload,
    signature: headers['Service-Signature'],
    timestamp: headers['Service-Timestamp'],
  };
}

describe('sign and verify', () => {
  it('agree', async () => {
    await expect(verify(await signedOptions())).resolves.toMatchObject({
      exitCode: ExitCode.success,
      ok: true,
      reason: null,
    });
  });

  it('call a delivery of six minutes ago too old, whose signature is right [§6.3]', async () => {
    const result = await verify(await signedOptions((now) => now - 360_000));
    expect(result).toMatchObject({
      exitCode: ExitCode.failure,
      ok: false,
      reason: 'timestamp_too_old',
      scheme: 'svc',
    });
  });

  it('judge at another time and with another tolerance when asked', async () => {
    const options = await signedOptions((now) => now - 360_000);
    await expect(verify({ ...options, tolerance: 400_000 })).resolves.toMatchObject({ ok: true });
    await expect(verify({ ...options, now: (now) => now - 360_000 })).resolves.toMatchObject({ ok: true });
  });

  it('take the secret from the variable', async () => {
    const { secret: _, ...options } = await signedOptions();
    await expect(verify(options, { env: { SVC_WEBHOOK_SECRET: 'whsec_a' } })).resolves.toMatchObject({
      ok: true,
    });
    await expect(verify(options, { env: { SVC_WEBHOOK_SECRET: 'whsec_b' } })).resolves.toMatchObject({
      ok: false,
    });
  });
});

describe('verify', () => {
  it('reads a raw HTTP request, and drops the line end that an editor put after the body', async () => {
    const { headers } = await sign({ scheme: 'stripe' });
    const lines = [
      'POST /hooks HTTP/1.1',
      `content-length: ${payload.length}`,
      `stripe-signature: ${headers['Stripe-Signature']}`,
    ];
    writeFileSync(join(folder, 'request.txt'), `${lines.join('\r\n')}\r\n\r\n${payload}\n`);
    await expect(verify({ secret, request: 'request.txt', scheme: 'stripe' })).resolves.toMatchObject({
      ok: true,
    });
  });

  it('refuses a file that is no HTTP request', async () => {
    writeFileSync(join(folder, 'no-request.txt'), payload);
    await expect(verify({ secret, request: 'no-request.txt' })).rejects.toMatchObject({ code: 'usage' });
    await expect(verify({ secret, request: 'absent.txt' })).rejects.toMatchObject({ code: 'usage' });
  });

  it('refuses a request with a body in chunks, which no signature covers', async () => {
    const text = 'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n';
    writeFileSync(join(folder, 'chunked.txt'), text);
    await expect(verify({ secret, request: 'chunked.txt' })).rejects.toMatchObject({
      code: 'usage',
      hint: expect.stringContaining('--payload @FILE'),
    });
  });

  it('recognises the secret of the variable beside a wrong one', async () => {
    const options = { ...(await signedOptions()), secret: ['whsec_b'] };
    await expect(verify(options, { env: { SVC_WEBHOOK_SECRET: 'whsec_a' } })).resolves.toMatchObject({
      reason: 'wrong_secret',
      detail: expect.stringContaining('it fits the secret in SVC_WEBHOOK_SECRET'),
    });
  });

  it.each([
    [{ secret }, 'Pass one of --payload, --request and --delivery.'],
    [{ secret, payload, request: 'request.txt' }, '--request and --payload exclude each other.'],
    [{ secret, delivery: 'del_1', request: 'request.txt' }, '--request and --delivery exclude each other.'],
    [{ secret, signature: '', request: 'request.txt' }, '--request and --signature exclude each other.'],
    [{ payload, signature: 'v1=00' }, 'There is no secret'],
    [{ delivery: 'del_1', scheme: 'stripe' }, '--delivery and --scheme exclude each other.'],
    [{ secret, payload, computed: 'v1=00' }, '--computed needs --delivery'],
    [
      { delivery: 'del_1', computed: 'v1=00', tolerance: 1 },
      '--computed and --tolerance exclude each other.',
    ],
  ])('refuses %j', async (options, message) => {
    await expect(verify(options)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(message),
    });
  });
});

describe('verify --delivery', () => {
  const verdict = { ok: false, reason: 'wrong_secret', detail: 'D.', remedy: 'R.', scheme: 'svc' } as const;

  it('has the emulator judge, by what the receiver has', async () => {
    const verifyDelivery = vi.fn(async () => verdict);
    const options = { secret, delivery: 'del_1', payload: '{ }', tolerance: 60_000, now: () => NOW };
    const { exitCode, ...shown } = await verify(options, { control: { verifyDelivery } });
    expect(exitCode).toBe(ExitCode.failure);
    expect(shown).toEqual(verdict);
    expect(verifyDelivery).toHaveBeenCalledWith({
      id: 'del_1',
      secrets: secret,
      payload_base64: Buffer.from('{ }').toString('base64'),
      now: '2026-11-20T12:00:00.000Z',
      tolerance_ms: 60_000,
    });
  });

  it('svc verify --computed has the emulator find the mistake that leads to the digest', async () => {
    const verifyDelivery = vi.fn(async () => verdict);
    await verify({ delivery: 'del_1', computed: 'v1=00' }, { control: { verifyDelivery } });
    expect(verifyDelivery).toHaveBeenCalledWith({ id: 'del_1', computed: 'v1=00' });
  });

  it('leaves to the emulator what is not said', async () => {
    const verifyDelivery = vi.fn(async () => ({ ...verdict, ok: true, reason: null, remedy: null }));
    await expect(verify({ delivery: 'del_1' }, { control: { verifyDelivery } })).resolves.toMatchObject({
      exitCode: ExitCode.success,
    });
    expect(verifyDelivery).toHaveBeenCalledWith({ id: 'del_1' });
  });

  it('says it in words: the reason, the detail, and what to do', async () => {
    const { context, capturedOutput } = createFakeContext({
      control: { verifyDelivery: async () => verdict },
    });
    await verifyCommand.run({ delivery: 'del_1' }, context);
    expect(capturedOutput.out).toBe('wrong_secret  D.\nR.\n');
  });
});

describe('a scheme of the configuration', () => {
  const project = join(folder, 'project');
  mkdirSync(project);
  const acme = {
    headers: { signature: 'Acme-Signature', timestamp: 'Acme-Time' },
    timestamp_format: 'unix_ms',
  };
  writeFileSync(join(project, 'svc.config.json'), JSON.stringify({ schemes: { acme }, scheme: 'acme' }));

  it('is that of sign and verify there, unless another is asked for', async () => {
    const { headers } = await sign({ at: () => NOW + 5 }, { cwd: project });
    expect(headers).toEqual({
      'Acme-Signature': expect.stringMatching(/^v1=/),
      'Acme-Time': String(NOW + 5),
      'Service-Delivery-Id': expect.any(String),
    });
    const given = { secret, payload, signature: headers['Acme-Signature'], timestamp: headers['Acme-Time'] };
    await expect(verify(given, { cwd: project })).resolves.toMatchObject({ ok: true, scheme: 'acme' });
    expect((await sign({ scheme: 'github' }, { cwd: project })).headers).toHaveProperty(
      'X-Hub-Signature-256',
    );
  });

  it('is recognised where a built-in one was verified', async () => {
    const { headers } = await sign({}, { cwd: project });
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\n`);
    writeFileSync(join(project, 'request.txt'), `POST / HTTP/1.1\n${lines.join('')}\n${payload}`);
    const options = { secret, request: 'request.txt', scheme: 'svc' };
    await expect(verify(options, { cwd: project })).resolves.toMatchObject({
      reason: 'other_scheme',
      remedy: expect.stringContaining('Verify with the scheme acme'),
    });
  });
});

describe('sign', () => {
  it('signs once under each secret of a rotation', async () => {
    const { headers } = await sign({ secret: ['whsec_a', 'whsec_b'] });
    expect(headers['Service-Signature']).toMatch(/^v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
  });

  it('signs the bytes of a file, and has curl send those', async () => {
    writeFileSync(join(folder, 'body.bin'), Buffer.from([0xff, 0x00]));
    const { headers } = await sign({ payload: '@body.bin', scheme: 'github' }, { cwd: folder });
    const digest = createHmac('sha256', 'whsec_a')
      .update(Buffer.from([0xff, 0x00]))
      .digest('hex');
    expect(headers['X-Hub-Signature-256']).toBe(`sha256=${digest}`);
    const { curl } = await sign({ payload: '@body.bin', curl: true }, { cwd: folder });
    expect(curl).toMatch(/--data-binary '?@body\.bin'?$/);
  });

  it.each([[[]], [['']]])('needs a secret: %j', async (none) => {
    await expect(sign({ secret: none })).rejects.toThrow('There is no secret');
  });

  it('prints a command that a shell reads back to the same body', async () => {
    const { curl } = await sign({ payload: `{"it's":"$HOME"}`, curl: 'http://localhost:4000/a?b=c' });
    expect(curl).toContain(`--data-raw '{"it'\\''s":"$HOME"}'`);
    expect(curl).toContain("'http://localhost:4000/a?b=c'");
  });

  it('puts no bytes into a command that are no text', async () => {
    await expect(sign({ payload: '-', curl: true }, { input: '\0' })).rejects.toThrow('The body is not text');
  });
});
