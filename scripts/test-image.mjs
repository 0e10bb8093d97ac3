// npm run test:image: builds the image from build/svc, and tests it with docker or podman on this machine.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { execa } from 'execa';

const HELP = `Build the image and test it

Usage: npm run test:image -- [options]

Builds the image from the Dockerfile and the executable of npm run build:binary. Then starts it with a read-only file
system as an unprivileged user, sends an event to a receiver on this machine, stops it, and starts it again with the
same volume. It needs Linux, and docker or podman with permission to run containers.

Options:
  --engine NAME   docker or podman (default: the first one that works)
  --base IMAGE    Base image to use instead of the one in the Dockerfile
  --tag NAME      Name of the image (default: localhost/svc-emulator)
  --help          Show this text
`;

const root = join(import.meta.dirname, '..');
const READY_WITHIN_MS = 30_000;
/** Docker kills a container that has not stopped after this time. Its exit code is then 137. */
const STOP_WITHIN_SECONDS = 10;

const token = randomBytes(16).toString('hex');
const name = `svc-image-test-${process.pid}`;
let engine;
let image;

try {
  const { values } = parseArgs({
    options: {
      engine: { type: 'string' },
      base: { type: 'string' },
      tag: { type: 'string', default: 'localhost/svc-emulator' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
  } else {
    if (!existsSync(join(root, 'build/svc')))
      throw new Error('build/svc is missing. Run: npm run build:binary');
    engine = await findEngine(values.engine);
    image = values.tag;
    await buildImage(values.base);
    await testImage();
  }
} catch (error) {
  console.error(`${error.message}\nSee: npm run test:image -- --help`);
  process.exitCode = 1;
}

async function findEngine(wanted) {
  const problems = [];
  for (const candidate of wanted === undefined ? ['docker', 'podman'] : [wanted]) {
    const { failed, stderr, message } = await execa(candidate, ['info'], { reject: false });
    if (!failed) return candidate;
    problems.push(`${candidate}: ${(stderr || message).split('\n')[0]}`);
  }
  throw new Error(
    `Containers cannot be run here. ${problems.join('; ')}\nInstall one of them, for example with: apt-get install podman`,
  );
}

async function buildImage(base) {
  const baseArgs = base === undefined ? [] : ['--build-arg', `BASE=${base}`];
  // The default format of podman has no health check.
  const formatArgs = engine === 'podman' ? ['--format', 'docker'] : [];
  await execa(engine, ['build', ...formatArgs, ...baseArgs, '--tag', image, root], { stdio: 'inherit' });
}

async function testImage() {
  const deliveries = [];
  const receiver = createServer((request, response) => {
    deliveries.push(request.headers);
    request.resume().on('end', () => response.writeHead(204).end());
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const environment = { SVC_CONTROL_TOKEN: token, SVC_PORT: String(port) };
  try {
    await testMissingToken();

    await start(environment);
    assert.equal((await runInContainer('id', '-u')).stdout, '10001');
    assert.equal((await runInContainer('readlink', '/proc/1/exe')).stdout, '/usr/local/bin/svc');
    assert.notEqual((await runInContainer('touch', '/usr/local/bin/file')).exitCode, 0);
    pass('svc is process 1, its user is unprivileged, and the file system is read-only');

    assert.equal((await fetch(`${url}/_svc/status`)).status, 401);
    const status = await request(`${url}/_svc/status`, token);
    pass('the control plane requires the token');

    const { id } = await createEvent(status, `http://127.0.0.1:${receiver.address().port}/webhooks`);
    const wait = await request(`${url}/_svc/deliveries/wait`, token, { event_id: id, timeout_ms: '10s' });
    assert.deepEqual(
      wait.data.map((delivery) => delivery.status),
      ['succeeded'],
    );
    assert.equal(deliveries.length, 1);
    assert.ok(Object.keys(deliveries[0]).some((header) => header.includes('signature')));
    pass('a receiver outside of the container gets a signed delivery');

    assert.match((await runInContainer('svc', 'deliveries', 'list')).stdout, /order\.shipped/);
    pass('commands in the container find the emulator');

    await execa(engine, ['stop', '-t', String(STOP_WITHIN_SECONDS), name]);
    assert.equal(await inspect('{{.State.ExitCode}}'), '0');
    pass('SIGTERM ends the container with exit code 0');

    await start(environment);
    assert.equal((await runInContainer('svc', 'events', 'get', id)).exitCode, 0);
    await execa(engine, ['kill', '--signal', 'KILL', name]);
    await start(environment);
    assert.equal((await runInContainer('svc', 'events', 'get', id)).exitCode, 0);
    pass('the event is still in the volume after a stop, and after a kill');

    await removeContainer();
    await execa(engine, ['volume', 'rm', name]);
    await start(environment, '--user', '4444:0');
    assert.equal((await runInContainer('id', '-u')).stdout, '4444');
    pass('another user of group 0 can run the image');
  } catch (error) {
    const { all } = await execa(engine, ['logs', name], { all: true, reject: false });
    console.error(`\nLog of the container:\n${all}\n`);
    throw error;
  } finally {
    receiver.close();
    await removeContainer();
    await execa(engine, ['volume', 'rm', '--force', name], { reject: false });
  }
}

async function testMissingToken() {
  const result = await execa(engine, ['run', '--rm', image], { reject: false });
  assert.equal(result.exitCode, 2);
  assert.match(result.stderr, /SVC_CONTROL_TOKEN must be set\.\nhint: .*openssl rand -hex 16/);
  const { stdout } = await execa(engine, ['run', '--rm', image, '--version']);
  assert.match(stdout, /^\d+\.\d+\.\d+/);
  pass('an emulator without a token does not start, and other commands need no token');
}

/** Starts the container on the network of this machine, and returns when it is healthy. */
async function start(environment, ...options) {
  await removeContainer();
  const env = Object.entries(environment).flatMap(([key, value]) => ['--env', `${key}=${value}`]);
  const limits = ['--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'];
  // podman mounts a writable /tmp in a read-only file system, and docker does not.
  if (engine === 'podman') limits.push('--read-only-tmpfs=false');
  const data = ['--volume', `${name}:/data`, '--network', 'host'];
  await execa(engine, ['run', '--detach', '--name', name, ...limits, ...data, ...env, ...options, image]);
  const deadline = Date.now() + READY_WITHIN_MS;
  while (!(await isHealthy())) {
    if ((await inspect('{{.State.Running}}')) !== 'true') throw new Error('The container has stopped.');
    if (Date.now() > deadline) throw new Error('The container did not become healthy.');
    await setTimeout(200);
  }
}

/** Docker runs the health check of the image itself. podman does so only with systemd. */
async function isHealthy() {
  if (engine === 'docker') return (await inspect('{{.State.Health.Status}}')) === 'healthy';
  return !(await execa(engine, ['healthcheck', 'run', name], { reject: false })).failed;
}

async function inspect(format) {
  return (await execa(engine, ['inspect', '--format', format, name])).stdout;
}

function runInContainer(...command) {
  return execa(engine, ['exec', name, ...command], { reject: false });
}

async function removeContainer() {
  await execa(engine, ['rm', '--force', name], { reject: false });
}

async function createEvent({ base_url, api_key, workspace_id }, url) {
  await request(`${base_url}/webhooks`, api_key, { workspace_id, url, events: ['*'] });
  return await request(`${base_url}/events`, api_key, { type: 'order.shipped' });
}

/** POST with a body, otherwise GET. */
async function request(url, bearer, body) {
  const response = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  assert.ok(response.ok, `${url}: ${response.status} ${text}`);
  return JSON.parse(text);
}

async function findFreePort() {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

function pass(title) {
  console.log(`ok  ${title}`);
}
