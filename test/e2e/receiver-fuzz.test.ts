/** `svc receiver fuzz` as a process, with a receiver that is a process too. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { findFreePort } from '../support/local-server.ts';
import { runProgram, svc, svcArgs, svcFile } from './cli-program.ts';
import { createFolder, killAfterTest, startReceiver, waitForPid } from './test-resources.ts';

const SECRET = 'whsec_c3ZjLWV4cGxvcmUtZTJl';

/** Deduplicates in memory, and appends a line to a file for each side effect. */
const forgetfulReceiver = `
import { createHmac } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
const seen = new Set();
const server = createServer(async (request, response) => {
  const body = await buffer(request).catch(() => null);
  if (body === null) return;
  const digest = createHmac('sha256', '${SECRET}').update(request.headers['service-timestamp'] + '.').update(body);
  if (request.headers['service-signature'] !== 'v1=' + digest.digest('hex')) return response.writeHead(400).end();
  const { id } = JSON.parse(body).data;
  if (!seen.has(id)) appendFileSync('side-effects', id + '\\n');
  seen.add(id);
  response.writeHead(204).end();
});
const listen = () => server.listen(Number(process.env.PORT), '127.0.0.1');
// The previous receiver may still be shutting down.
server.on('error', () => setTimeout(listen, 20));
listen();
`;

const restartScript = `
if [ -f pid ]; then kill "$(cat pid)"; fi
"$NODE" receiver.mjs > /dev/null 2>&1 &
echo $! > pid
`;

it.skipIf(process.platform === 'win32')(
  '--restart-command shows that deduplication does not survive a restart',
  async () => {
    const cwd = createFolder();
    const port = await findFreePort();
    const env = { PORT: String(port), NODE: process.execPath, SVC_WEBHOOK_SECRET: SECRET };
    writeFileSync(join(cwd, 'receiver.mjs'), forgetfulReceiver);
    writeFileSync(join(cwd, 'restart.sh'), restartScript);
    writeFileSync(join(cwd, 'side-effects'), '');
    onTestFinished(async () => void process.kill(await waitForPid(join(cwd, 'pid'))));
    await runProgram('sh', ['restart.sh'], { cwd, env });
    await expect
      .poll(() =>
        fetch(`http://127.0.0.1:${port}`).then(
          ({ status }) => status,
          () => 0,
        ),
      )
      .toBe(400);

    const args = ['receiver', 'fuzz', `127.0.0.1:${port}/`, '--random-seed', '1'];
    const observe = `printf '{"ids":[%s]}' "$(sed 's/.*/"&"/' side-effects | paste -sd, -)"`;
    const options = [
      '--only',
      'duplicate,restart',
      '--observe',
      observe,
      '--restart-command',
      'sh restart.sh',
      '--json',
    ];
    // It starts about 60 processes, one after another.
    const { exitCode, stdout, stderr } = await svc([...args, ...options], { cwd, env, timeout: 55_000 });
    expect(exitCode, stderr).toBe(1);
    const { failure } = JSON.parse(stdout);
    expect(failure.rule).toBe('once');
    expect(failure.sequence.steps.map(({ kind }: { kind: string }) => kind)).toEqual([
      'deliver',
      'restart',
      'deliver',
    ]);
  },
);

it('SIGINT ends the fuzz run with exit code 130 and what is known', async () => {
  const receiver = await startReceiver();
  const args = ['receiver', 'fuzz', receiver.url, '--secret', SECRET, '--time', '60s', '--only', 'duplicate'];
  const subprocess = runProgram(svcFile, [...svcArgs, ...args], { cwd: createFolder() });
  killAfterTest(subprocess);
  await receiver.waitFor(5);
  subprocess.kill('SIGINT');
  const { exitCode, stdout } = await subprocess;
  expect(exitCode).toBe(130);
  expect(stdout).toMatch(/^Interrupted after \d+ sequences? with \d+ deliveries in /);
});
