/**
 * Runs the commands and programs that README and docs show. A page is one session of a shell in an empty folder, with a running
 * emulator and a receiver. Every block has to run, or to be listed below with the test that runs it or the reason why it cannot.
 */
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { type RunningReceiver, ready as readyPattern, startProgram } from '../receivers/receiver-process.ts';
import { type Block, listBlocks, pages, root } from '../support/documents.ts';
import { findFreePort } from '../support/local-server.ts';
import { driverFolder } from '../support/sqlite.ts';
import { createTempFolder, program, runProgram, startEmulator, svcInProcess } from './cli-program.ts';
import { createFolder, runJsonOk } from './test-resources.ts';

/** Blocks in these languages are commands and programs. Others are data and formulas. */
const runnable = /^(?:console|sh|js|ts|typescript|python|go|ruby|php|yaml)$/;

/** Blocks that another test runs, which reads them from the page or compares them with its own files. */
const elsewhere: readonly (readonly [page: string, language: RegExp, code: RegExp | null, test: string])[] = [
  ['README.md', /^js$/, /svc-emulator/, 'test/library/documented-examples.test.ts'],
  ['docs/testing.md', /^(?:js|ts)$/, null, 'test/library/documented-examples.test.ts'],
  ['docs/testing.md', /^typescript$/, null, 'test/e2e/event-types.test.ts'],
  ['docs/testing.md', /^console$/, /npm i/, 'scripts/platform/runners.mjs'],
  ['docs/receivers.md', /^js$/, null, 'test/receivers/receiver-documents.test.ts'],
  ['docs/ci.md', /^yaml$/, null, 'test/e2e/ci-document.test.ts'],
  ['docs/ci.md', /^console$/, /emulator exec/, 'test/e2e/ci-document.test.ts'],
  ['docs/reference/exec-and-action.md', /^yaml$/, null, 'test/e2e/action.test.ts'],
  ['docs/state.md', /^yaml$/, null, 'test/emulator/service/seed.test.ts'],
  ['docs/fixtures.md', /^(?:ts|sh)$/, /openapi|webhooks/, 'test/operations/generated-clients.test.ts'],
  ['docs/reference/control-plane.md', /^sh$/, null, 'test/http/control-plane-document.test.ts'],
];

/** Blocks that cannot run here. */
const cannotRun: readonly (readonly [page: RegExp, code: RegExp, reason: string])[] = [
  [/^AGENTS|^CONTRIBUTING|^docs\/contributing\//, /^np[mx] /, 'runs the tests or the benchmarks'],
  [/^examples\//, /^npm ci\nnpm test\n$/, 'npm run test:platform runs the examples'],
  [/^README|^docs\/installing/, /npm link|npm run package/, 'npm run test:platform runs them'],
  [/^docs\/installing/, /sudo tar/, 'npm run test:platform -- executable runs it'],
  [/^docs\/containers/, /docker |testcontainers|services:/, 'needs containers'],
  [/^docs\/real-service/, /\.(?:har|ndjson)\b/, 'test/cli/commands/gaps.test.ts runs them'],
  [/^docs\/receiver-fuzz/, /restart\.sh/, 'test/cli/commands/receiver-fuzz.test.ts restarts a receiver'],
  [/^docs\/security/, /emulator start --host/, 'listens on other addresses than loopback'],
];

interface Session {
  /** Whether the page starts with a running emulator and a delivery. Default: true */
  readonly isPrepared?: boolean;
  /** Shell code before the block that matches. */
  readonly before?: readonly [code: RegExp, shell: string][];
  /** Shell code after it. */
  readonly after?: readonly [code: RegExp, shell: string][];
  /** Commands that exit with 1, because the page shows a failure. */
  readonly fails?: RegExp;
  /** What the commands print at least; the lines of the page that are output are checked without being listed. */
  readonly prints?: RegExp;
  readonly env?: Readonly<Record<string, string>>;
  /** The program of a block. Default: a file `receiver.mjs` that a command of the page starts. */
  readonly wrap?: (code: string) => string;
}

const waitForPort =
  'until (exec 3<>"/dev/tcp/127.0.0.1/$PORT") 2>/dev/null; do kill -0 $! || exit; sleep 0.05; done';
const stopReceiver = 'kill "$receiver"; wait "$receiver" || true';
const startReceiver = `command node receiver.mjs & receiver=$!; ${waitForPort}`;
// The page shows the command before the receiver.
const writeFuzzedReceiver = `cat > receiver.mjs <<'END'
${listBlocks('docs/receiver-fuzz.md').find(({ language }) => language === 'js')?.code}END
`;
const deliverToReserializingReceiver = `
command node ${join(root, 'scripts/reserializing-receiver.mjs')} & ${waitForPort}; reserializing=$!
webhook=$(svc webhooks list --json | grep -o 'wh_[A-Z0-9]*' | head -n 1)
url=$(svc webhooks get $webhook --json | grep -o 'http://[^"]*' | head -n 1)
svc webhooks update $webhook --url http://localhost:$PORT/
svc trigger order.shipped --wait=1s || true
svc webhooks update $webhook --url "$url"
kill $reserializing`;
/** The page of a sender starts the emulator before its receiver, so the first event does not arrive. */
const receivesFromSender = (prints: RegExp): Session => ({ isPrepared: false, fails: /--wait$/, prints });
/** Packages, or their scopes, with which the pages of the senders verify deliveries. */
const officialPackages = ['stripe', '@octokit', '@slack'];
const TOKEN = 'V1StGXR8Z5jdHi6BmyTbSqK2pLw0xNcE';

const sessions: Readonly<Record<string, Session>> = {
  'README.md': {
    isPrepared: false,
    after: [[/trigger order/, 'waitForListener "$(newest)"']],
  },
  'docs/tutorial.md': {
    isPrepared: false,
    before: [
      [/^npx svc receiver check/, `${stopReceiver}; ${startReceiver}`],
      [/trigger invoice\.paid/, stopReceiver],
      [/deliveries list/, 'until svc deliveries list --status failing | grep -q del_; do sleep 0.05; done'],
      [/clock next/, startReceiver],
    ],
    fails: /^npx svc receiver check \S+$/,
  },
  'docs/receiver-fuzz.md': {
    isPrepared: false,
    before: [[/--observe/, `${writeFuzzedReceiver}${startReceiver}`]],
    fails: /receiver fuzz/,
  },
  'docs/debug.md': {
    fails: /--computed/,
    before: [[/^svc explain$/m, deliverToReserializingReceiver]],
  },
  'skills/svc/SKILL.md': {
    before: [
      [
        /svc explain --json/,
        'svc faults add --on delivery --kind error-response --count 1; svc trigger order.shipped --wait=1s || true',
      ],
    ],
  },
  'docs/agents.md': { isPrepared: false },
  'docs/ci.md': { isPrepared: false },
  'docs/receivers.md': { isPrepared: false },
  'docs/scope.md': { isPrepared: false },
  'docs/reference/exec-and-action.md': { isPrepared: false, fails: /emulator exec/ },
  'docs/reference/library.md': { isPrepared: false, wrap: (code) => code },
  // Only Vitest can import the fixtures for Vitest.
  'docs/reference/library-testing.md': { isPrepared: false, wrap: (code) => code.replace(/.*vitest.*/, '') },
  'docs/security.md': { env: { SVC_CONTROL_TOKEN: TOKEN } },
  'docs/faults.md': {
    wrap: (code) => `import assert from 'node:assert';
      import { createEmulator } from 'svc-emulator';
      const emulator = await createEmulator();
      const body = '{"type":"order.created"}';
      const headers = { authorization: 'Bearer ' + emulator.apiKey, 'content-type': 'application/json' };
      const createOrderAndNotify = () => fetch(emulator.baseUrl + '/events', { method: 'POST', headers, body }).catch(() => {});
      const expect = (actual) => ({ toMatchObject: ([{ applied_count }]) => assert.equal(actual[0].applied_count, applied_count) });
      ${code}
      await emulator.close();`,
  },
  'docs/senders.md': {
    before: [
      [/^svc emulator start/, 'command svc emulator stop'],
      [
        /^svc fixtures import/,
        `mkdir payloads; echo '{}' > payloads/push.json
        echo '{"openapi":"3.1.0","webhooks":{}}' > openapi.yaml`,
      ],
    ],
    // The receiver verifies with the scheme `svc`.
    fails: /receiver (?:check|fuzz)|--wait/,
    wrap: (code) => `import { createEmulator } from 'svc-emulator';\n${code}\nawait emulator.close();`,
  },
  'docs/senders/stripe.md': receivesFromSender(/processed payment_intent\.succeeded evt_/),
  'docs/senders/github.md': receivesFromSender(/processed The kettle[\s\S]*processed refs\/heads\/main/),
  'docs/senders/slack.md': receivesFromSender(/"challenge": [\s\S]*retry 2/),
  'docs/signatures.md': {
    // The receiver verifies with the scheme `svc`.
    fails: /receiver check/,
    wrap: (code) => `import { sign } from 'svc-emulator/signature';
      const rawBody = '{}';
      const secret = process.env.SVC_WEBHOOK_SECRET;
      const signed = sign({ payload: rawBody, secret, id: 'del_1' });
      const headers = Object.fromEntries(new Headers(signed.headers));
      const request = new Request('http://localhost/', { method: 'POST', body: rawBody, headers });
      ${code}
      if (!result.ok || !ok || body.toString() !== rawBody) process.exit(1);`,
  },
};

const prelude = `
set -euo pipefail
# The package is linked into the folder.
npm() { if [ "$*" = start ]; then svc listen; fi; }
npx() { "$@"; }
# A program that stays in the foreground goes to the background when it is ready.
svc() {
  case "$*" in
    'emulator start'*) stopListener; command svc emulator start --detach --port 0 "\${@:3}" ;;
    *--print-secret*) command svc "$@" ;;
    listen|'listen '*)
      stopListener
      # Ignore the output of the previous listener.
      : > listen.log
      SVC_PORT=0 command svc "$@" > listen.log 2>&1 & listener=$!
      waitForListener whsec_ ;;
    *) command svc "$@" ;;
  esac
}
# The page shows a listener until it starts another one.
listener=
stopListener() {
  [ -n "$listener" ] || return 0
  kill -TERM $listener
  wait $listener || (($? > 128))
  cat listen.log
  listener=
}
waitForListener() { until grep -q "$1" listen.log; do kill -0 $listener || { cat listen.log; return 1; }; sleep 0.05; done; }
newest() { command svc deliveries list --limit 1 --json | grep -o 'del_[A-Z0-9]*' | head -n 1; }
# A page can start an emulator in a folder of its own.
folder=$PWD
trap 'kill $(jobs -p) 2>/dev/null || true; [ "$PWD" = "$folder" ] || command svc emulator stop &>/dev/null || true' EXIT
node() {
  case "$*" in
    receiver.mjs) command node receiver.mjs & receiver=$!; ${waitForPort} ;;
    bin/svc.js*) svc "\${@:2}" ;;
    *) command node "$@" ;;
  esac
}
`;

const SECRET = 'whsec_docs0123456789abcdefghijklmnop';

/** Much longer than the commands of a page take, even on a busy machine. */
const PAGE_TIMEOUT_MS = 120_000;

const pagesToRun = pages.flatMap((page) => {
  const blocks = listBlocks(page).filter(
    (block) => runnable.test(block.language) && !isElsewhere(block) && !isImpossible(block),
  );
  return blocks.length > 0 ? [[page, blocks] as const] : [];
});

/** The receiver of the tutorial, which the prepared pages share. */
let receiver: RunningReceiver;

beforeAll(async () => {
  const { cwd, remove } = createTempFolder();
  const code = listBlocks('docs/tutorial.md').findLast(({ language }) => language === 'js')?.code ?? '';
  writeFileSync(join(cwd, 'receiver.mjs'), code);
  receiver = await startProgram([process.execPath, 'receiver.mjs'], {
    ...{ secret: SECRET, scratch: cwd, ready: readyPattern },
    maxLifetimeMs: pagesToRun.length * PAGE_TIMEOUT_MS,
  });
  return () => receiver.stop().then(remove);
});

it.skipIf(process.platform === 'win32').each(pagesToRun)(
  'every command and program in %s succeeds',
  { timeout: PAGE_TIMEOUT_MS + 10_000 },
  (page, blocks) => runPage(page, blocks),
);

it('every block that is listed above exists', () => {
  const blocks = pages.flatMap(listBlocks).filter(({ language }) => runnable.test(language));
  expect(elsewhere.filter((entry) => !blocks.some((block) => matches(entry, block)))).toEqual([]);
  const exists = (page: RegExp, code: RegExp) =>
    blocks.some((block) => page.test(block.page) && code.test(block.code));
  expect(cannotRun.filter(([page, code]) => !exists(page, code))).toEqual([]);
  expect(Object.keys(sessions).filter((page) => !pages.includes(page))).toEqual([]);
  expect(elsewhere.map(([, , , test]) => test).filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

function matches([page, language, code]: (typeof elsewhere)[number], block: Block): boolean {
  return page === block.page && language.test(block.language) && (code?.test(block.code) ?? true);
}

function isElsewhere(block: Block): boolean {
  return elsewhere.some((entry) => matches(entry, block));
}

function isImpossible(block: Block): boolean {
  return cannotRun.some(([page, code]) => page.test(block.page) && code.test(block.code));
}

async function runPage(page: string, blocks: readonly Block[]): Promise<void> {
  const session = sessions[page] ?? {};
  const cwd = createProject();
  const PORT = `${await findFreePort()}`;
  const values = session.isPrepared === false ? { RECEIVER: PORT } : await prepare(cwd, session);
  const script = [prelude, ...blocks.map((block) => toShell(block, session, values)), 'stopListener'].join(
    '\n',
  );
  const { exitCode, all } = await runProgram('bash', ['-c', script], {
    ...{ cwd, all: true, timeout: PAGE_TIMEOUT_MS },
    env: { PORT, SVC_WEBHOOK_SECRET: SECRET, PATH: `${join(cwd, 'bin')}:${process.env.PATH}` },
  });
  expect(exitCode, all).toBe(0);
  expect(all).toMatch(session.prints ?? /^/);
  for (const line of listBlocks(page).flatMap(listOutput)) expect(all).toMatch(toPattern(line));
}

/** An empty project with the package and the SQLite driver installed. */
function createProject(): string {
  const cwd = createFolder();
  onTestFinished(async () => void (await svcInProcess(['emulator', 'stop'], { cwd })));
  for (const folder of ['bin', 'node_modules']) mkdirSync(join(cwd, folder));
  for (const name of ['svc', 'svc-emulator']) symlinkSync(program, join(cwd, 'bin', name));
  symlinkSync(root, join(cwd, 'node_modules/svc-emulator'));
  symlinkSync(driverFolder, join(cwd, 'node_modules/better-sqlite3'));
  for (const name of officialPackages)
    symlinkSync(join(root, 'node_modules', name), join(cwd, 'node_modules', name));
  writeFileSync(join(cwd, 'package.json'), '{"type":"module","scripts":{"test":"true"}}');
  return cwd;
}

/** An emulator, and a delivery that the receiver accepted; what the placeholders of the page stand for. */
async function prepare(cwd: string, { env }: Session): Promise<Record<string, string>> {
  const url = `http://localhost:${receiver.port}/webhooks`;
  const webhooks = [{ url, events: ['*'], secret: SECRET }];
  writeFileSync(join(cwd, 'seed.json'), JSON.stringify({ workspaces: [{ name: 'Docs', webhooks }] }));
  const { ready, stop } = await startEmulator(cwd, ['--seed', 'seed.json'], env);
  onTestFinished(stop);
  const { deliveries } = await runJsonOk(cwd, 'trigger', 'order.shipped', '--wait');
  const { id, event_id, webhook_id, attempts } = await runJsonOk(cwd, 'deliveries', 'get', deliveries[0].id);
  const { headers, body } = attempts[0].request;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  writeFileSync(join(cwd, 'body'), body);
  writeFileSync(join(cwd, 'request.txt'), `POST /webhooks HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
  return {
    'http://192.168.1.5:4777': ready.url,
    'del_…': id,
    'evt_…': event_id,
    'req_…': (await runJsonOk(cwd, 'logs', 'list', '--method', 'POST')).data[0].id,
    'wh_…': webhook_id,
    'whsec_…': SECRET,
    'v1=5257a869…': headers['Service-Signature'],
    'v1=…': headers['Service-Signature'],
    '2026-11-20T23:06:00Z': headers['Service-Timestamp'],
    DIGEST: '0'.repeat(64),
    '--to URL': `--to ${url}`,
    RECEIVER: `${receiver.port}`,
  };
}

function toShell(
  { language, code }: Block,
  session: Session,
  values: Readonly<Record<string, string>>,
): string {
  const find = (hooks: Session['before']) => hooks?.find(([pattern]) => pattern.test(code))?.[1] ?? '';
  if (!/^(?:console|sh)$/.test(language)) {
    const run = session.wrap ? 'command node example.mjs' : '';
    const file = session.wrap ? 'example.mjs' : 'receiver.mjs';
    return `cat > ${file} <<'END'\n${session.wrap?.(code) ?? code}\nEND\n${run}`;
  }
  const commands = listCommands(code).map((command) => {
    const filled = Object.entries(values).reduce(
      (text, [name, value]) => text.replaceAll(name, value),
      command,
    );
    const line = filled
      .replaceAll(/\b(?:3000|4242)\b/g, values.RECEIVER ?? '')
      .replaceAll('del_…', '"$(newest)"');
    return session.fails?.test(command) ? `${line} || test $? = 1` : line;
  });
  return [find(session.before), ...commands, find(session.after)].join('\n');
}

/** The commands of a block, without comments. With prompts, the other lines are output. */
function listCommands(code: string): string[] {
  const lines = code
    .trimEnd()
    .replaceAll(/\s+# .*$/gm, '')
    .split('\n');
  const prompted = lines.filter((line) => line.startsWith('$ '));
  return prompted.length > 0 ? prompted.map((line) => line.slice(2)) : lines;
}

/** The lines of a block that commands print. A block of `txt` is output that the page does not produce. */
function listOutput({ language, code, page }: Block): string[] {
  const lines = code.trimEnd().split('\n');
  if (language === 'text' && /^docs\/(?:tutorial|debug)\.md$/.test(page)) return lines;
  if (
    language !== 'console' ||
    !lines[0]?.startsWith('$ ') ||
    isImpossible({ language, code, page, line: 0 })
  )
    return [];
  return lines.filter((line) => !line.startsWith('$ ') && line !== '…');
}

/** A line of output with any IDs, digests, times, durations, ports and amount of space. Other numbers must match. `…` stands for anything. */
function toPattern(line: string): RegExp {
  const pattern = line
    .replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
    .replaceAll('…', '.*')
    .replaceAll(/\b[0-9a-f]{64}\b/g, '[0-9a-f]{64}')
    .replaceAll(/\b(evt|del|wh|ws)_\w+/g, '$1_\\w+')
    .replaceAll(/\bjust now\b|\b\d+[smh] ago\b/g, '(?:just now|\\d+[smh] ago)')
    .replaceAll(/\b\d+m?s\b/g, '[\\d.]+m?s')
    .replaceAll(/\d{4}-\d\d-\d\d([T ])\d\d:\d\d:\d\d/g, '[\\d-]+$1[\\d:]+')
    .replaceAll(/\b\d\d:\d\d:\d\d(?=Z?\b)/g, '[\\d:]+')
    .replaceAll(/\b(?:4242|4777|\d{5})\b/g, '\\d+')
    .replaceAll(/ {2,}/g, ' +');
  return new RegExp(pattern);
}
