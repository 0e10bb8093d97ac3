// npm run demo: shows an event whose delivery fails, why it failed, its retry, its signature and a replay.
// It runs the built program in a temporary folder. All processes end with the script.
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import driverFolder from './driver-folder.cjs';

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
  const port = await findFreePort();

  say('Start the emulator for a receiver that does not run yet.');
  const banner = await svc(
    'emulator',
    'start',
    '--detach',
    '--port',
    '0',
    '--forward-to',
    `${port}/webhooks`,
  );
  const secret = find(/whsec_[\w-]+/, banner);

  say('Create an event.');
  const deliveryId = find(/del_\w+/, await svc('trigger', 'order.shipped'));

  say('Why did its delivery fail?');
  await svc('explain');

  say(
    'Start a receiver that verifies signatures, and move the clock to the retry, which is due after five minutes.',
  );
  const receiver = await startReceiver(port, secret);
  await svc('clock', 'advance', '5m');
  await receiver.showNextLine();

  say('The receiver accepted the signature. Verify it with svc too.');
  await svc('verify', '--delivery', deliveryId, '--secret', secret);

  say(
    'Replay the delivery: the same bytes with a new signature. The receiver does not process the event again.',
  );
  await svc('deliveries', 'replay', deliveryId, '--wait');

  say('Stop the emulator.');
  await svc('emulator', 'stop');

  say(
    'Next: npm start receives deliveries until you press Ctrl-C. README.md shows how to send them to your own receiver.',
  );
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
  show(36, `$ svc ${args.join(' ')}`);
  const isStart = args.includes('--detach');
  // The warning says that the receiver does not run, which is intended, and how to stop the emulator, which the demo does itself.
  const stderr = isStart ? 'pipe' : 'inherit';
  const command = execa(process.execPath, [program, ...args], { ...options, ...limits, stderr });
  const { stdout } = await command;
  // After the addresses and the secret, the emulator shows how to create an event with curl.
  console.log(isStart ? stdout.split('\n\nCreate an event')[0].trim() : stdout);
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
