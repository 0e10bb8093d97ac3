// npm run demo: shows one event from the API to a receiver that verifies it, with a failed attempt, a retry and a replay.
// It runs the built program in a temporary folder. All processes end with the script.
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import driverFolder from './driver-folder.cjs';

/** Seconds of schedule time per second of real time. */
const SPEED = 120;
const TIMEOUT_MS = 60_000;

const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'svc-demo-'));
const hasColor = process.stdout.isTTY === true && !process.env.NO_COLOR;
const interruption = new AbortController();
const { signal } = interruption;
// Not `once`: if no listener remains, execa lets the signal end this process at once.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => interruption.abort());
// False after a reader such as `head` has closed the pipe.
let hasReader = true;
process.stdout.on('error', () => {
  hasReader = false;
  interruption.abort();
});

// Without the variables of the user.
const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_'));
const env = { ...Object.fromEntries(inherited), ...(hasColor && { FORCE_COLOR: '1' }) };
const options = { cwd: folder, env, extendEnv: false, stdin: 'ignore', stderr: 'inherit' };
const limits = { cancelSignal: signal, timeout: TIMEOUT_MS, forceKillAfterDelay: 3_000 };
const program = join(root, 'bin/svc.js');

try {
  await runDemo();
} catch (error) {
  if (hasReader) {
    console.error(`\nThe demo failed. ${signal.aborted ? 'Interrupted.' : error.message}`);
    process.exitCode = 1;
  }
} finally {
  interruption.abort();
  await execa(process.execPath, [program, 'emulator', 'stop'], {
    ...options,
    stderr: 'ignore',
    reject: false,
  });
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

async function runDemo() {
  say(`Start the emulator. Its schedule clock runs ${SPEED} times as fast as real time.`);
  await svc('emulator', 'start', '--detach', '--json', '--port', '0', '--speed', String(SPEED));

  say('Register an endpoint for one event type. The secret is shown only now.');
  const port = await findFreePort();
  const registered = await svc(
    'webhooks',
    'create',
    '--url',
    `${port}/webhooks`,
    '--events',
    'order.shipped',
  );
  const secret = find(/whsec_[\w-]+/, registered);
  const receiver = await startReceiver(port, secret);

  say('Let the first attempt fail, as if the receiver were restarting.');
  await svc('faults', 'add', '--kind', 'error-response', '--count', '1');

  say('Create an event through the API, with the payload of its fixture.');
  const deliveryId = find(/del_\w+/, await svc('trigger', 'order.shipped'));

  say('The attempt failed, so the delivery is retried after five minutes, as in production.');
  await svc('deliveries', 'get', deliveryId);
  say(`Five minutes take ${(5 * 60) / SPEED} seconds at this speed.`);
  await svc('deliveries', 'wait', '--status', 'succeeded');
  await receiver.showNextLine();

  say('The receiver has verified the signature. Verify the same delivery with svc.');
  await svc('verify', '--delivery', deliveryId, '--secret', secret);

  say('Replay it: the same bytes with a new signature. The receiver does not process the event again.');
  await svc('deliveries', 'replay', deliveryId, '--wait');

  say('Stop the emulator.');
  await svc('emulator', 'stop');
}

/** Starts the example receiver of `svc receiver example --framework node`. `showNextLine` prints its next line of output. */
async function startReceiver(port, secret) {
  for (const name of ['node.mjs', 'deliveries.mjs'])
    cpSync(join(root, 'fixtures/receivers', name), join(folder, name));
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(driverFolder, join(folder, 'node_modules/better-sqlite3'), 'junction');
  const variables = { PORT: `${port}`, INBOX_DB: ':memory:', SVC_WEBHOOK_SECRET: secret };
  const receiver = execa(process.execPath, ['node.mjs'], {
    ...{ ...options, ...limits, env: { ...env, ...variables }, reject: false },
  });
  const lines = receiver.iterable();
  // It prints this when it listens.
  await lines.next();
  return { showNextLine: async () => show(33, `receiver: ${(await lines.next()).value}`) };
}

async function findFreePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Runs a `svc` command, prints it and its output, and returns its standard output. */
async function svc(...args) {
  show(36, `$ svc ${args.map((arg) => (/^[\w@./:=,+-]+$/.test(arg) ? arg : `'${arg}'`)).join(' ')}`);
  // The note says how to stop the emulator, which the demo does itself.
  const stderr = args.includes('--detach') ? 'pipe' : 'inherit';
  const command = execa(process.execPath, [program, ...args], { ...options, ...limits, stderr });
  const { stdout } = await command;
  console.log(stdout);
  return stdout;
}

function find(pattern, output) {
  const match = pattern.exec(output);
  if (match) return match[0];
  throw new Error(`The command did not print ${pattern}.`);
}

function say(text) {
  console.log(`\n${hasColor ? `\x1b[1m${text}\x1b[22m` : text}`);
}

function show(color, text) {
  console.log(hasColor ? `\x1b[${color}m${text}\x1b[39m` : text);
}
