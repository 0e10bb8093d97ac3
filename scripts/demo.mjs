// npm run demo: shows one event from the API to a receiver that verifies it, with a failed attempt, a retry and a replay.
// It runs the built program in a temporary folder. All processes end with the script.
import { spawn } from 'node:child_process';
import { on, once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import driverFolder from './driver-folder.cjs';

/** Seconds of schedule time per second of real time. */
const SPEED = 120;
const TIMEOUT_MS = 60_000;

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folder = mkdtempSync(join(tmpdir(), 'svc-demo-'));
const hasColor = process.stdout.isTTY === true && !process.env.NO_COLOR;
const children = new Set();
const interruption = new AbortController();
const { signal } = interruption;
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.once(name, () => interruption.abort(new Error('Interrupted.')));
}
// False after a reader such as `head` has closed the pipe.
let hasReader = true;
process.stdout.on('error', () => {
  hasReader = false;
  interruption.abort();
});
setTimeout(() => interruption.abort(new Error(`Not finished after ${TIMEOUT_MS} ms.`)), TIMEOUT_MS).unref();

try {
  await runDemo();
} catch (error) {
  if (hasReader) {
    console.error(`\nThe demo failed. ${(signal.aborted ? signal.reason : error).message}`);
    process.exitCode = 1;
  }
} finally {
  await Promise.all([...children].map(end));
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

async function runDemo() {
  say(`Start the emulator. Its schedule clock runs ${SPEED} times as fast as real time.`);
  const emulator = await startEmulator('--json', '--port', '0', '--speed', String(SPEED));

  say('Register an endpoint for one event type. The secret is shown only now.');
  const gateway = await startGateway();
  const registered = await svc('webhooks', 'create', '--url', gateway.url, '--events', 'order.shipped');
  const secret = find(/whsec_[\w-]+/, registered);
  const receiver = await startReceiver(secret);
  gateway.receiverUrl = receiver.url;

  say('Create an event through the API, with the payload of its fixture.');
  const deliveryId = find(/del_\w+/, await svc('trigger', 'order.shipped'));
  await gateway.nextDelivery(503);

  say('The receiver returned 503, so the delivery is retried after five minutes, as in production.');
  await svc('deliveries', 'get', deliveryId);
  say(`Five minutes take ${(5 * 60) / SPEED} seconds at this speed.`);
  const accepted = await gateway.nextDelivery(204);
  await receiver.showNextLine();

  say('The receiver has verified the signature. Verify the same delivery with svc.');
  writeFileSync(join(folder, 'body.json'), accepted.body);
  await svc(
    ...['verify', '--secret', secret, '--payload', '@body.json'],
    ...['--signature', accepted.headers['service-signature']],
    ...['--timestamp', accepted.headers['service-timestamp']],
  );

  say('Replay it: the same bytes with a new signature. The receiver does not process the event again.');
  await svc('deliveries', 'replay', deliveryId, '--wait');
  const replayed = await gateway.nextDelivery(204);
  if (!replayed.body.equals(accepted.body)) throw new Error('The replay has a different body.');

  say('Stop the emulator.');
  await svc('emulator', 'stop');
  if (children.has(emulator)) await once(emulator, 'exit', { signal });
}

/** Starts the emulator and waits for its ready line. */
async function startEmulator(...options) {
  const emulator = start([join(root, 'bin/svc.js'), 'emulator', 'start', ...options]);
  showCommand('emulator', 'start', ...options);
  console.log(await firstLine(emulator, createInterface(emulator.stdout)));
  return emulator;
}

/** Starts the example receiver of `svc receiver example --framework node`. `showNextLine` prints its next line of output. */
async function startReceiver(secret) {
  for (const name of ['node.mjs', 'deliveries.mjs']) {
    copyFileSync(join(root, 'fixtures/receivers', name), join(folder, name));
  }
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(driverFolder, join(folder, 'node_modules/better-sqlite3'), 'junction');
  const receiver = start(['node.mjs'], {
    PORT: '0',
    INBOX_DB: ':memory:',
    SVC_WEBHOOK_SECRET: secret,
  });
  const lines = createInterface(receiver.stdout);
  const listening = await firstLine(receiver, lines);
  const printed = on(lines, 'line', { signal });
  return {
    url: `http://127.0.0.1:${listening.replace('listening on ', '')}`,
    showNextLine: async () => showReceiver((await printed.next()).value[0]),
  };
}

/** A proxy in front of the receiver that responds to the first delivery with 503, like a receiver during a deployment. */
async function startGateway() {
  let isFirst = true;
  const server = createServer(async (request, response) => {
    const { headers } = request;
    const body = await buffer(request);
    const status = isFirst ? 503 : await forward(gateway.receiverUrl, headers, body);
    isFirst = false;
    showReceiver(`${headers['service-delivery-id']} → ${status}`);
    response.writeHead(status).end();
    server.emit('delivery', { headers, body, status });
  });
  const arrivals = on(server, 'delivery', { signal });
  await once(server.listen(0, '127.0.0.1').unref(), 'listening', { signal });
  const gateway = {
    url: `http://127.0.0.1:${server.address().port}/webhooks`,
    receiverUrl: '',
    nextDelivery: async (status) => {
      const [delivery] = (await arrivals.next()).value;
      if (delivery.status === status) return delivery;
      throw new Error(`The receiver responded with ${delivery.status} instead of ${status}.`);
    },
  };
  return gateway;
}

async function forward(receiverUrl, headers, body) {
  const names = ['content-type', 'service-signature', 'service-timestamp', 'service-delivery-id'];
  const forwarded = Object.fromEntries(names.map((name) => [name, headers[name]]));
  const response = await fetch(receiverUrl, { method: 'POST', headers: forwarded, body, signal });
  return response.status;
}

async function firstLine(child, lines) {
  const exited = once(child, 'exit', { signal }).then(() => {
    throw new Error('A program exited before it was ready.');
  });
  const [line] = await Promise.race([once(lines, 'line', { signal }), exited]);
  return line;
}

/** Runs a `svc` command, prints it and its output, and returns its standard output. */
async function svc(...args) {
  showCommand(...args);
  const command = start([join(root, 'bin/svc.js'), ...args]);
  const [output, [code]] = await Promise.all([buffer(command.stdout), once(command, 'exit', { signal })]);
  process.stdout.write(output);
  if (code !== 0) throw new Error(`The command exited with ${code}.`);
  return output.toString();
}

/** Starts a Node.js program in the temporary folder, without the `SVC_` variables of the user. */
function start(args, variables = {}) {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_'));
  const env = { ...Object.fromEntries(inherited), ...(hasColor && { FORCE_COLOR: '1' }), ...variables };
  const stdio = ['ignore', 'pipe', 'inherit'];
  // In its own process group, so that Ctrl-C reaches only this script, which ends its children.
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio, detached: true, windowsHide: true });
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

async function end(child) {
  const exited = once(child, 'exit');
  child.kill();
  const force = setTimeout(() => child.kill('SIGKILL'), 3_000);
  await exited;
  clearTimeout(force);
}

function find(pattern, output) {
  const match = pattern.exec(output);
  if (match) return match[0];
  throw new Error(`The command did not print ${pattern}.`);
}

function say(text) {
  console.log(`\n${hasColor ? `\x1b[1m${text}\x1b[22m` : text}`);
}

function showCommand(...args) {
  const text = `$ svc ${args.map((arg) => (/^[\w@./:=,+-]+$/.test(arg) ? arg : `'${arg}'`)).join(' ')}`;
  console.log(hasColor ? `\x1b[36m${text}\x1b[39m` : text);
}

function showReceiver(line) {
  const text = `receiver: ${line}`;
  console.log(hasColor ? `\x1b[33m${text}\x1b[39m` : text);
}
