/** First steps with the built program: a receiver port, a missing receiver, a public address. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { ExitCode } from '../../src/domain/errors.ts';
import { createReverseProxy } from '../support/reverse-proxy.ts';
import { createReceiver } from '../support/test-receiver.ts';
import { svc, svcInProcess } from './cli-program.ts';
import { createFolder, startEmulatorForTest } from './test-resources.ts';

const startCommand = ['emulator', 'start', '--port', '0', '--db', ':memory:'];

async function detach(cwd: string, ...args: string[]) {
  onTestFinished(async () => void (await svcInProcess(['emulator', 'stop'], { cwd })));
  return svc([...startCommand, '--detach', ...args], { cwd });
}

it('svc emulator start --forward-to needs only the port of the receiver', async () => {
  await using receiver = await createReceiver();
  const cwd = createFolder();
  const { exitCode, stdout, stderr } = await detach(
    cwd,
    '--forward-to',
    `${receiver.port}`,
    '--events',
    'invoice.paid',
  );
  expect(exitCode).toBe(ExitCode.success);
  expect(stdout).toMatch(new RegExp(`Endpoint +wh_\\w+ → http://localhost:${receiver.port}/\n`));
  expect(stdout).toMatch(/Next: svc trigger invoice\.paid\n/);
  expect(stderr).not.toContain('warning');
  await svcInProcess(['trigger', 'invoice.paid', '--wait'], { cwd });
  expect(receiver.requests).toHaveLength(1);
});

it('programs receive the public address, and commands in the folder use the local one', async () => {
  await using proxy = await createReverseProxy();
  const cwd = createFolder();
  const { ready } = await startEmulatorForTest(cwd, '--db', ':memory:', '--public-url', proxy.url);
  expect(ready).toMatchObject({ base_url: `${proxy.url}/v1`, control_url: `${proxy.url}/_svc` });
  const { control_url } = JSON.parse(readFileSync(join(cwd, '.svc/run.json'), 'utf8'));
  expect(control_url).toBe(`${ready.url}/_svc`);
  // The proxy has no target yet.
  expect(await svcInProcess(['trigger', 'order.shipped'], { cwd })).toMatchObject({
    exitCode: ExitCode.success,
  });
  proxy.setTarget(ready.url);
  const { stdout } = await svcInProcess(['env', '--format', 'json'], { cwd });
  const { SVC_BASE_URL, SVC_API_KEY } = JSON.parse(stdout);
  const response = await fetch(`${SVC_BASE_URL}/events`, {
    headers: { authorization: `Bearer ${SVC_API_KEY}` },
  });
  expect(await response.json()).toMatchObject({ data: [expect.anything()] });
  const throughProxy = await svcInProcess(['emulator', 'status', '--url', ready.control_url], {
    cwd: createFolder(),
  });
  expect(throughProxy.exitCode).toBe(ExitCode.success);
});
