/** `svc receiver fuzz` as a process, with a receiver that is a process too. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { findFreePort } from '../support/local-server.ts';
import { runProgram, svc } from './cli-program.ts';
import { createFolder, waitForPid } from './test-resources.ts';

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
  { timeout: 120_000 },
  async () => {
    const cwd = createFolder();
    const url = `127.0.0.1:${await findFreePort()}`;
    const env = { PORT: new URL(`http://${url}`).port, NODE: process.execPath, SVC_WEBHOOK_SECRET: SECRET };
    writeFileSync(join(cwd, 'receiver.mjs'), forgetfulReceiver);
    writeFileSync(join(cwd, 'restart.sh'), restartScript);
    writeFileSync(join(cwd, 'side-effects'), '');
    onTestFinished(async () => void process.kill(await waitForPid(join(cwd, 'pid'))));
    await runProgram('sh', ['restart.sh'], { cwd, env });
    const getStatus = async () => (await fetch(`http://${url}`).catch(() => null))?.status;
    await expect.poll(getStatus).toBe(400);

    const observe = `printf '{"ids":[%s]}' "$(sed 's/.*/"&"/' side-effects | paste -sd, -)"`;
    const args = ['receiver', 'fuzz', url, '--random-seed', '1', '--only', 'duplicate,restart', '--json'];
    const commands = ['--observe', observe, '--restart-command', 'sh restart.sh'];
    // It starts about 60 processes, one after another.
    const { exitCode, stdout, stderr } = await svc([...args, ...commands], { cwd, env, timeout: 110_000 });
    expect(exitCode, stderr).toBe(1);
    expect(JSON.parse(stdout).failure).toMatchObject({
      rule: 'once',
      remedy: expect.stringMatching(/ must survive a restart\.$/),
      sequence: { steps: [{ kind: 'deliver' }, { kind: 'restart' }, { kind: 'deliver' }] },
    });
  },
);
