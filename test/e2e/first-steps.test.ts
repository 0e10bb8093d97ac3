/** The public address of an emulator behind a proxy. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ExitCode } from '../../src/domain/errors.ts';
import { createReverseProxy } from '../support/reverse-proxy.ts';
import { svcInProcess } from './cli-program.ts';
import { createFolder, startEmulatorForTest } from './test-resources.ts';

it('programs receive the public address, and commands in the folder use the local one', async () => {
  await using proxy = await createReverseProxy();
  const cwd = createFolder();
  const ready = await startEmulatorForTest(cwd, '--db', ':memory:', '--public-url', proxy.url);
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
