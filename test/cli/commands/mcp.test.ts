import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { ExitCode } from '../../../src/domain/errors.ts';
import { callOf, initializeSession } from '../../mcp/stdio-session.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { runLine } from '../fake-context.ts';

it('svc mcp starts one emulator for two calls, another one after svc emulator stop, and stops it at its end', async () => {
  const cwd = createTemporaryFolder();
  const protocol = { input: new PassThrough(), output: new PassThrough() };
  const ended = runLine(['mcp'], { cwd, protocol });
  const { send, receive } = await initializeSession(protocol);
  const readUrl = async () => (await receive()).result.structuredContent.base_url;
  for (const id of [1, 2]) send(callOf(id, 'status', '{}'));
  const url = await readUrl();
  expect(await readUrl()).toBe(url);
  expect((await runLine(['emulator', 'stop'], { cwd })).exitCode).toBe(ExitCode.success);
  send(callOf(3, 'status', '{}'));
  expect(await readUrl()).not.toBe(url);
  protocol.input.end();
  const err = expect.stringMatching(/^Started an emulator at http:/);
  expect(await ended).toMatchObject({ exitCode: ExitCode.success, out: '', err });
  expect(existsSync(join(cwd, '.svc/run.json'))).toBe(false);
});
