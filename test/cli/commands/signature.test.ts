import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { command as signCommand } from '../../../src/cli/commands/sign.ts';
import { command as verifyCommand } from '../../../src/cli/commands/verify.ts';
import { ExitCode } from '../../../src/errors.ts';
import { aDelivery, createFakeContext, type FakeOptions, NOW } from '../fake-context.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-signature-'));
afterAll(() => rmSync(folder, { recursive: true }));

const secret = ['whsec_a'];
const payload = '{"data":{"id":"evt_1"}}';

async function sign(options: Partial<Parameters<typeof signCommand.run>[0]> = {}, fake: FakeOptions = {}) {
  const { context, recorded } = createFakeContext({ json: true, ...fake });
  await signCommand.run({ payload, secret, ...options }, context);
  return JSON.parse(recorded.out);
}

async function verify(options: Parameters<typeof verifyCommand.run>[0], fake: FakeOptions = {}) {
  const { context, recorded } = createFakeContext({ json: true, cwd: folder, ...fake });
  const exitCode = await verifyCommand.run(options, context);
  return { exitCode, ...JSON.parse(recorded.out) };
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
      exitCode: ExitCode.done,
      ok: true,
      reason: null,
    });
  });

  it('call a delivery of six minutes ago too old, whose signature is right [§6.3]', async () => {
    const result = await verify(await signedOptions((now) => now - 360_000));
    expect(result).toMatchObject({
      exitCode: ExitCode.notSo,
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

  it('judges the last attempt of a delivery as of when it was sent', async () => {
    const { headers } = await sign({ at: () => NOW - 3_600_000 });
    const attempt = {
      sent_at: new Date(NOW - 3_600_000).toISOString(),
      request: { url: '', headers, body: payload },
    };
    const control = { getDelivery: async () => ({ ...aDelivery(), attempts: [attempt] }) as never };
    await expect(verify({ secret, delivery: 'del_1' }, { control })).resolves.toMatchObject({ ok: true });
    await expect(
      verify({ secret, delivery: 'del_1', now: (now) => now }, { control }),
    ).resolves.toMatchObject({
      reason: 'timestamp_too_old',
    });
  });
});

describe('sign', () => {
  it('signs once under each secret of a rotation', async () => {
    const { headers } = await sign({ secret: ['whsec_a', 'whsec_b'] });
    expect(headers['Service-Signature']).toMatch(/^v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
  });

  it('prints a command that a shell reads back to the same body', async () => {
    const { curl } = await sign({ payload: `{"it's":"$HOME"}`, curl: 'http://localhost:4000/a?b=c' });
    expect(curl).toContain(`--data-binary '{"it'\\''s":"$HOME"}'`);
    expect(curl).toContain("'http://localhost:4000/a?b=c'");
  });
});
