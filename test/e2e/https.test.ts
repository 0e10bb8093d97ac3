/** The built program with an emulator that serves HTTPS with a generated certificate. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createReceiver } from '../support/test-receiver.ts';
import { runProgram, svc } from './cli-program.ts';
import { createFolder } from './test-resources.ts';

const READ_EVENTS = `
  const { SVC_BASE_URL, SVC_API_KEY } = process.env;
  const response = await fetch(SVC_BASE_URL + '/events', { headers: { authorization: 'Bearer ' + SVC_API_KEY } });
  console.log(response.status, (await response.json()).data.length);
`;

it('commands and programs use an emulator over HTTPS and trust its certificate [§1.https]', async () => {
  const cwd = createFolder();
  await using receiver = await createReceiver();
  const options = ['--port', '0', '--db', ':memory:', '--forward-to', receiver.url];
  const started = await svc(['emulator', 'start', '--https', '--detach', ...options], { cwd });
  onTestFinished(async () => void (await svc(['emulator', 'stop'], { cwd })));
  const certificate = join(cwd, '.svc', 'certificate.pem');
  expect(started).toMatchObject({ exitCode: 0 });
  expect(started.stdout).toMatch(/Base URL +https:\/\/127\.0\.0\.1:\d+\/v1/);
  expect(started.stdout).toContain(`curl --cacert ${certificate} https://127.0.0.1:`);
  expect(await readFile(certificate, 'utf8')).toMatch(/^-----BEGIN CERTIFICATE-----/);

  const triggered = await svc(['trigger', 'order.shipped', '--wait', '--json'], { cwd });
  expect(triggered).toMatchObject({ exitCode: 0 });
  expect(receiver.requests).toHaveLength(1);
  expect(await svc(['emulator', 'status'], { cwd })).toMatchObject({ exitCode: 0 });

  const { stdout } = await svc(['env', '--format', 'json'], { cwd });
  const env = JSON.parse(stdout);
  const clientRun = await runProgram(process.execPath, ['--input-type=module', '-e', READ_EVENTS], { env });
  expect(clientRun.stdout).toBe('200 1');

  expect(await svc(['emulator', 'stop'], { cwd })).toMatchObject({ exitCode: 0 });
  expect(await svc(['emulator', 'status'], { cwd })).toMatchObject({ exitCode: 3 });
});
