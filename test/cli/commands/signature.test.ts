import { createHmac } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { sign as signCommand, verify as verifyCommand } from '../../../src/cli/commands/signature.ts';
import { ExitCode } from '../../../src/domain/errors.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { createFakeContext, type FakeOptions, NOW } from '../fake-context.ts';

const folder = createTemporaryFolder({ onTestFinished: afterAll });

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

describe('svc sign and svc verify', () => {
  it('--now and --tolerance change the time and the tolerance', async () => {
    const options = await signedOptions((now) => now - 360_000);
    await expect(verify({ ...options, tolerance: 400_000 })).resolves.toMatchObject({ ok: true });
    await expect(verify({ ...options, now: (now) => now - 360_000 })).resolves.toMatchObject({ ok: true });
  });
});

describe('svc verify', () => {
  it('a raw HTTP request is read without the line break that an editor added after the body', async () => {
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

  it('a file without an HTTP request is a usage error', async () => {
    writeFileSync(join(folder, 'no-request.txt'), payload);
    await expect(verify({ secret, request: 'no-request.txt' })).rejects.toMatchObject({ code: 'usage' });
    await expect(verify({ secret, request: 'absent.txt' })).rejects.toMatchObject({ code: 'usage' });
  });

  it('two signature headers of a raw HTTP request count as one with two signatures', async () => {
    const { headers } = await sign({});
    const lines = [
      'POST /hooks HTTP/1.1',
      `service-timestamp: ${headers['Service-Timestamp']}`,
      'service-signature: v1=00',
      `Service-Signature: ${headers['Service-Signature']}`,
    ];
    writeFileSync(join(folder, 'request.txt'), `${lines.join('\r\n')}\r\n\r\n${payload}`);
    await expect(verify({ secret, request: 'request.txt' })).resolves.toMatchObject({ ok: true });
  });

  it.each([
    ['chunked', 'Transfer-Encoding: chunked', Buffer.from('2\r\n{}\r\n0\r\n\r\n')],
    ['compressed with gzip', 'Content-Encoding: gzip', gzipSync('{}')],
  ])('a request with a body that is %s is rejected', async (problem, header, body) => {
    const head = `POST / HTTP/1.1\r\n${header}\r\n\r\n`;
    writeFileSync(join(folder, 'changed.txt'), Buffer.concat([Buffer.from(head), body]));
    await expect(verify({ secret, request: 'changed.txt' })).rejects.toMatchObject({
      code: 'usage',
      message: `The body in changed.txt is ${problem}, so it is not the body that was signed.`,
      hint: { text: expect.stringContaining('--payload @FILE') },
    });
  });

  it('a wrong secret is reported together with the secret that matches', async () => {
    const options = { ...(await signedOptions()), secret: ['whsec_b'] };
    await expect(verify(options, { env: { SVC_WEBHOOK_SECRET: 'whsec_a' } })).resolves.toMatchObject({
      reason: 'wrong_secret',
      detail: expect.stringContaining('It would match if the secret was the secret in SVC_WEBHOOK_SECRET'),
    });
  });
});

describe('svc verify --delivery', () => {
  const verdict = { ok: false, reason: 'wrong_secret', detail: 'D.', remedy: 'R.', scheme: 'svc' } as const;
  const response = verdict;

  it('the emulator verifies with the secret and body of the receiver', async () => {
    const verifyDelivery = vi.fn(async () => response);
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

  it('svc verify --computed asks the emulator for the mistake behind the digest', async () => {
    const verifyDelivery = vi.fn(async () => response);
    await verify({ delivery: 'del_1', computed: 'v1=00' }, { control: { verifyDelivery } });
    expect(verifyDelivery).toHaveBeenCalledWith({ id: 'del_1', computed: 'v1=00' });
  });

  it('options that are not given are not sent to the emulator', async () => {
    const verifyDelivery = vi.fn(async () => ({ ...response, ok: true, reason: null, remedy: null }));
    await expect(verify({ delivery: 'del_1' }, { control: { verifyDelivery } })).resolves.toMatchObject({
      exitCode: ExitCode.success,
    });
    expect(verifyDelivery).toHaveBeenCalledWith({ id: 'del_1' });
  });

  it('the text output has the reason, the detail and the next step', async () => {
    const { context, capturedOutput } = createFakeContext({
      control: { verifyDelivery: async () => response },
    });
    await verifyCommand.run({ delivery: 'del_1' }, context);
    expect(capturedOutput.out).toBe('wrong_secret  D.\nR.\n');
  });
});

describe('the scheme of a sender of the configuration', () => {
  const project = join(folder, 'project');
  mkdirSync(project);
  const acme = {
    headers: { signature: 'Acme-Signature', timestamp: 'Acme-Time' },
    timestamp_format: 'unix_ms',
  };
  writeFileSync(
    join(project, 'svc.config.json'),
    JSON.stringify({ senders: { acme: { scheme: acme } }, sender: 'acme' }),
  );

  it('svc sign and svc verify use the configured scheme unless --scheme names another', async () => {
    const { headers } = await sign({ at: () => NOW + 5 }, { cwd: project });
    expect(headers).toEqual({
      'Acme-Signature': expect.stringMatching(/^v1=/),
      'Acme-Time': String(NOW + 5),
      'Service-Delivery-Id': expect.any(String),
    });
    const options = {
      secret,
      payload,
      signature: headers['Acme-Signature'],
      timestamp: headers['Acme-Time'],
    };
    await expect(verify(options, { cwd: project })).resolves.toMatchObject({ ok: true, scheme: 'acme' });
    expect((await sign({ scheme: 'github' }, { cwd: project })).headers).toHaveProperty(
      'X-Hub-Signature-256',
    );
  });

  it('a signature in the configured scheme is recognized when another scheme was verified', async () => {
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

describe('svc sign', () => {
  it('svc sign signs once with each secret of a rotation', async () => {
    const { headers } = await sign({ secret: ['whsec_a', 'whsec_b'] });
    expect(headers['Service-Signature']).toMatch(/^v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
  });

  it('svc sign signs the bytes of a file, and the curl command sends that file', async () => {
    writeFileSync(join(folder, 'body.bin'), Buffer.from([0xff, 0x00]));
    const { headers } = await sign({ payload: '@body.bin', scheme: 'github' }, { cwd: folder });
    const digest = createHmac('sha256', 'whsec_a')
      .update(Buffer.from([0xff, 0x00]))
      .digest('hex');
    expect(headers['X-Hub-Signature-256']).toBe(`sha256=${digest}`);
    const { curl } = await sign({ payload: '@body.bin', curl: true }, { cwd: folder });
    expect(curl).toMatch(/--data-binary '?@body\.bin'?$/);
  });

  it('the curl command sends exactly the signed body', async () => {
    const { curl } = await sign({ payload: `{"it's":"$HOME"}`, curl: 'http://localhost:4000/a?b=c' });
    expect(curl).toContain(`--data-raw '{"it'\\''s":"$HOME"}'`);
    expect(curl).toContain("'http://localhost:4000/a?b=c'");
  });

  it('a body that is not text is rejected with --curl', async () => {
    await expect(sign({ payload: '-', curl: true }, { input: '\0' })).rejects.toThrow(
      'The body is not valid UTF-8 text',
    );
  });
});
