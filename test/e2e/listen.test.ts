/** `svc listen` with real processes: forwarding, cleanup and the terminal view. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHttpControlClient } from '../../src/client/http-client.ts';
import { ExitCode } from '../../src/domain/errors.ts';
import type { ControlPlane } from '../../src/operations/control-plane.ts';
import { getCertificate } from '../support/certificates.ts';
import { findFreePort } from '../support/local-server.ts';
import { startTestEmulator, type TestEmulatorOptions } from '../support/test-emulator.ts';
import { runProgram, startInProcess, svc, svcArgs, svcFile, svcInProcess } from './cli-program.ts';
import { createFolder, killAfterTest, startEmulatorProcess, startReceiver } from './test-resources.ts';

/** An emulator in this process, which commands reach with `--url`. */
async function openEmulator(options: TestEmulatorOptions = {}) {
  const emulator = await startTestEmulator(options);
  onTestFinished(emulator.close);
  const { control } = emulator;
  return {
    ...{ emulator, control, url: ['--url', emulator.status().url] },
    /** Creates an event; resolves to its deliveries. */
    async trigger(type = 'order.shipped', payload = {}) {
      const { json } = await emulator.api('POST', '/events', { type, payload });
      return (await control.listDeliveries({ event_id: json.id })).data;
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: each test checks the fields that it uses.
type Line = any;

/** Starts `svc listen --json` and waits for its ready line. */
async function listen(cwd: string, ...args: string[]) {
  const subprocess = runProgram(svcFile, [...svcArgs, 'listen', '--json', ...args], {
    ...{ cwd, env: { SVC_PORT: '0' }, buffer: { stdout: false }, timeout: 60_000 },
  });
  killAfterTest(subprocess);
  const lines: Line[] = [];
  const notes: string[] = [];
  createInterface(subprocess.stderr).on('line', (line) => notes.push(line));
  createInterface(subprocess.stdout).on('line', (line) => lines.push(JSON.parse(line)));
  await expect.poll(() => lines.length).toBeGreaterThan(0);
  return { subprocess, lines, notes, ready: lines[0] };
}

/** Starts `svc listen` in this process, and interrupts it at the end of the test. */
function listenInProcess(cwd: string, ...args: string[]) {
  const listening = startInProcess(['listen', ...args], { cwd, env: { SVC_PORT: '0' } });
  onTestFinished(async () => {
    listening.interrupt();
    await listening.ended;
  });
  const lines = (): Line[] => (listening.output.stdout.match(/.+/g) ?? []).map((line) => JSON.parse(line));
  return { ...listening, lines };
}

/** A line of standard error with `--json`. */
const note = (message: string) => JSON.stringify({ note: { message } });

const idsOf = async (control: ControlPlane) =>
  (await control.listWebhooks({})).data.map(({ id }) => id).sort();

describe('svc listen', () => {
  it('svc listen --json forwards while it runs, prints each attempt, and removes its endpoint when it is interrupted', async () => {
    const receiver = await startReceiver([{ status: 503, body: 'not now' }, { status: 200 }]);
    const { control, url, trigger } = await openEmulator();
    const { subprocess, lines, ready } = await listen(
      createFolder(),
      ...[...url, `${receiver.port}/hooks`, '-e', 'order.shipped', '-H', 'X-Env: dev'],
    );
    expect(ready).toEqual({
      type: 'ready',
      webhook_id: expect.stringMatching(/^wh_/),
      webhook_secret: expect.stringMatching(/^whsec_/),
      url: `http://localhost:${receiver.port}/hooks`,
      workspace_id: expect.stringMatching(/^ws_/),
    });
    expect(await trigger('invoice.paid')).toEqual([]);
    const [delivery] = await trigger();
    await expect.poll(() => lines.length).toBe(2);
    expect(receiver.requests[0]).toMatchObject({ path: '/hooks', headers: { 'x-env': 'dev' } });
    // The response body is recorded. A failed delivery is retried, and can be replayed immediately.
    expect(lines[1]).toMatchObject({
      attempt: { number: 1, response_status: 503, response: { body: 'not now' } },
      delivery: { id: delivery?.id, status: 'pending', next_attempt_at: expect.any(String) },
    });
    await control.replayDelivery({ id: String(delivery?.id) });
    await expect.poll(() => lines.length).toBe(3);
    expect(lines[2]).toMatchObject({ attempt: { number: 2, response_status: 200 } });
    receiver.respond({ status: 500 });
    await trigger();
    await expect.poll(() => lines.length).toBe(4);
    subprocess.kill('SIGINT');
    expect(await subprocess).toMatchObject({
      exitCode: ExitCode.interrupted,
      stderr: note('Canceled 1 delivery that was still pending.'),
    });
    expect(await idsOf(control)).toEqual([]);
  });

  it('the secret of an address is the same for every listener, now and later, and each event arrives once', async () => {
    const receiver = await startReceiver([{ status: 500 }, { status: 200 }]);
    const { control, url, trigger } = await openEmulator();
    const cwd = createFolder();
    const args = [...url, receiver.url];
    const { stdout } = await svcInProcess(['listen', ...args, '--print-secret'], { cwd });
    expect(await idsOf(control)).toEqual([]);
    const first = await listen(cwd, ...args);
    const second = await listen(cwd, ...args);
    expect([first, second].map(({ ready }) => ready.webhook_secret)).toEqual([stdout.trim(), stdout.trim()]);
    const { webhook_id } = first.ready;
    expect(await idsOf(control)).toEqual([webhook_id]);
    expect(JSON.stringify(second.notes)).toContain('for another svc listen.');
    const deliveries = await trigger();
    expect(deliveries).toHaveLength(1);
    for (const { lines } of [first, second]) {
      await expect.poll(() => lines.length).toBe(2);
      expect(lines[1].delivery.webhook_id).toBe(webhook_id);
    }
    // The second one continues with an endpoint of its own, which has the ID and the deliveries of the first one.
    first.subprocess.kill('SIGTERM');
    await first.subprocess;
    await expect.poll(() => second.lines.filter(({ type }) => type === 'ready')).toHaveLength(2);
    expect(await idsOf(control)).toEqual([webhook_id]);
    await control.replayDelivery({ id: String(deliveries[0]?.id) });
    const isReplay = ({ attempt }: Line) => attempt?.trigger === 'manual' && attempt.outcome === 'succeeded';
    await expect.poll(() => second.lines.filter(isReplay)).toHaveLength(1);
    second.subprocess.kill('SIGTERM');
    await second.subprocess;
    expect(await idsOf(control)).toEqual([]);
  });

  it('the emulator removes the endpoint of a listener that was killed', async () => {
    // Long enough for the listener to connect on a busy machine.
    const { control, url } = await openEmulator({ listenerGraceMs: 1_000 });
    const { subprocess, ready } = await listen(createFolder(), ...url, '9');
    expect(await idsOf(control)).toEqual([ready.webhook_id]);
    subprocess.kill('SIGKILL');
    await expect.poll(() => idsOf(control)).toEqual([]);
  });

  it('svc listen continues when the emulator is restarted with the same data, and removes its endpoint at the end', async () => {
    const receiver = await startReceiver();
    const cwd = createFolder();
    const port = String(await findFreePort());
    const first = await startEmulatorProcess(cwd, '--port', port);
    const { subprocess, lines, ready } = await listen(cwd, receiver.url);
    first.subprocess.kill('SIGKILL');
    await first.subprocess;
    const second = await startEmulatorProcess(cwd, '--port', port);
    await svcInProcess(['trigger', 'order.shipped', '--wait'], { cwd });
    await expect.poll(() => lines.length, { timeout: 20_000 }).toBe(2);
    expect(lines[1].delivery.webhook_id).toBe(ready.webhook_id);
    subprocess.kill('SIGINT');
    expect((await subprocess).stderr.split('\n')).toEqual([
      note('Connection lost. Reconnecting…'),
      note('Reconnected.'),
    ]);
    expect(await idsOf(createHttpControlClient({ controlUrl: second.ready.control_url }))).toEqual([]);
  });

  it('svc listen registers again with the same secret after a reset of the emulator', async () => {
    const receiver = await startReceiver();
    const { control, url, trigger } = await openEmulator();
    const { lines } = listenInProcess(createFolder(), '--json', ...url, receiver.url);
    await expect.poll(lines).toHaveLength(1);
    await control.reset({});
    await expect.poll(lines).toHaveLength(3);
    const [{ webhook_secret }, ...newLines] = lines();
    expect(newLines).toMatchObject([{ type: 'reset' }, { type: 'ready', webhook_secret }]);
    await trigger();
    await expect.poll(lines).toHaveLength(4);
  });

  it('--skip-verify accepts any certificate, and --format json prints only the envelopes', async () => {
    const receiver = await startReceiver({}, { certificate: getCertificate('self-signed') });
    const { url, trigger } = await openEmulator();
    const forward = [receiver.url, '--skip-verify', '--format', 'json'];
    const { lines, output, interrupt, ended } = listenInProcess(createFolder(), ...url, ...forward);
    const note = new RegExp(`^Ready\\. Secret whsec_\\S+ for ${receiver.url}/\n$`);
    await expect.poll(() => output.stderr).toMatch(note);
    await trigger('order.shipped', { note: 'a\nb' });
    const [request] = await receiver.waitFor(1);
    await expect.poll(lines).toEqual([JSON.parse(String(request?.body))]);
    interrupt();
    expect((await ended).exitCode).toBe(ExitCode.interrupted);
  });

  it('svc listen uses an enabled endpoint that already has its URL, and says so', async () => {
    const { control, url } = await openEmulator();
    const { id, secret } = await control.createWebhook({
      url: 'http://localhost:9/x',
      events: ['a.b', 'c.d'],
    });
    const run = (...args: string[]) =>
      svcInProcess(['listen', ...url, '9/x', '--print-secret', ...args], { cwd: createFolder() });
    expect(await run()).toEqual({
      exitCode: ExitCode.success,
      stdout: `${secret}\n`,
      stderr: `Using ${id}, which already sends a.b, c.d to http://localhost:9/x and stays when svc listen ends. Its settings apply.\n`,
    });
    const { output, interrupt, ended } = listenInProcess(createFolder(), ...url, '9/x');
    const heading = `Ready. Secret ${secret} for http://localhost:9/x (a.b, c.d) (permanent endpoint ${id})\n`;
    await expect.poll(() => output.stderr).toContain(heading);
    interrupt();
    await ended;
    expect(await idsOf(control)).toEqual([id]);
  });

  it('svc listen starts the emulator of the folder if none runs, receives a delivery, and stops both when it is interrupted', async () => {
    const cwd = createFolder();
    const { subprocess, lines, notes, ready } = await listen(cwd);
    expect(ready).toMatchObject({ type: 'ready', emulator: { base_url: expect.any(String) } });
    const { exitCode } = await svcInProcess(['trigger', 'order.shipped', '--wait'], { cwd });
    expect(exitCode).toBe(ExitCode.success);
    expect(lines[1]).toMatchObject({ type: 'received', response: 200, verification: { ok: true } });
    subprocess.kill('SIGINT');
    expect((await subprocess).exitCode).toBe(ExitCode.success);
    expect(JSON.stringify(notes)).toContain('Stopping the emulator.');
    expect((await svcInProcess(['emulator', 'status'], { cwd })).exitCode).toBe(ExitCode.noEmulator);
  });

  it.each([
    ['stripe', ['payment_intent.succeeded'], { event_type: 'payment_intent.succeeded', times_received: 1 }],
    ['stripe', ['a.b', '--data', '{}'], { event_type: null, times_received: null }],
    ['github', ['issues.opened'], { event_type: 'issues', times_received: 1 }],
    ['acme', ['robots/awake', '--data', '{}'], { event_type: 'robots/awake', times_received: 1 }],
  ])(
    'svc listen --sender %s receives and verifies two events of %j, and shows their type and their repeats',
    async (sender, event, shown) => {
      const cwd = createFolder();
      const acme = {
        scheme: { headers: { signature: 'Acme-Signature', timestamp: 'Acme-Time', id: null } },
        headers: { 'Acme-Id': '{id}', 'Acme-Topic': '{type}' },
      };
      writeFileSync(join(cwd, 'svc.config.json'), JSON.stringify({ senders: { acme } }));
      const { lines } = listenInProcess(cwd, '--json', '--sender', sender);
      for (const count of [1, 2]) {
        await expect.poll(lines).toHaveLength(count);
        await svcInProcess(['trigger', ...event, '--wait'], { cwd });
      }
      const received = { ...shown, response: 200, verification: { ok: true } };
      await expect.poll(() => lines().slice(1)).toMatchObject([received, received]);
    },
  );

  it('svc listen --sender compares event types with the fixtures of that sender', async () => {
    const options = ['--sender', 'github', '-e', 'issues.opend'];
    const { output } = listenInProcess(createFolder(), '9/hooks', ...options);
    await expect.poll(() => output.stderr).toContain('Did you mean issues.opened?');
  });

  it('svc listen --sender fails if the emulator that runs delivers as another sender', async () => {
    const { url } = await openEmulator();
    const cwd = createFolder();
    const { exitCode, stderr } = await svcInProcess(['listen', ...url, '--sender', 'slack'], { cwd });
    expect(exitCode).toBe(ExitCode.usage);
    expect(stderr).toContain('The emulator delivers as the sender svc, not as slack.');
  });

  it('svc listen prints the banner of an emulator that it has started to standard output, and ends when that is stopped', async () => {
    const cwd = createFolder();
    const listening = svc(['listen', '9/hooks'], { cwd, env: { SVC_PORT: '0' } });
    const lines: string[] = [];
    createInterface(listening.stdout).on('line', (line) => lines.push(line));
    await expect.poll(() => lines.at(-1)).toBe('Next: svc trigger order.shipped');
    expect(lines.join('\n')).toMatch(/Endpoint +wh_\w+ → http:\/\/localhost:9\/hooks\nSecret +whsec_/);
    await svcInProcess(['emulator', 'stop'], { cwd });
    expect((await listening).exitCode).toBe(ExitCode.success);
  });
});
