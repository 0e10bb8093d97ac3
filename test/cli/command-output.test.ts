/**
 * Runs the command lines of `golden/command-output.txt`, and compares their output with what the file shows below them: standard error
 * after "! ", the exit code if it is not 0, and the fields of the JSON document. Words in capitals stand for values of the test.
 * A new line gets its output from `npx vitest run test/cli/command-output.test.ts --update`.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createApiClient } from '../../src/client/api-client.ts';
import { ExitCode } from '../../src/domain/errors.ts';
import { commandsByName } from '../support/command-definitions.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { startTestEmulator } from '../support/test-emulator.ts';
import { createReceiver } from '../support/test-receiver.ts';
import { NOW, runLine } from './fake-context.ts';

const golden = join(import.meta.dirname, 'golden');
const file = join(golden, 'command-output.txt');
const goldenText = readFileSync(file, 'utf8');
const lines = Array.from(goldenText.matchAll(/^svc (.*)$/gm), ([, line = '']) => line);
/** The shown exit codes by command line. */
const exitCodes = new Map(
  goldenText
    .split(/\n\n(?=svc )/)
    .map((section) => [/^svc (.*)/.exec(section)?.[1], Number(/^exit code (\d)$/m.exec(section)?.[1] ?? 0)]),
);
const root = join(import.meta.dirname, '../..');
/** The middle of a longer output is cut, except that of svc agent: other tests read the scripts, receivers and tables. */
const MAX_LINES = 32;
const LAST_LINES = 3;

/** Commands that run until they are interrupted, that start, stop or await an emulator, or whose result depends on the machine. */
const elsewhere: Readonly<Record<string, string>> = {
  'deliveries tail': 'test/cli/commands/deliveries.test.ts',
  'logs tail': 'test/cli/commands/logs.test.ts',
  'emulator start': 'test/e2e/cli-emulator.test.ts',
  'emulator stop': 'test/e2e/cli-emulator.test.ts',
  'emulator wait': 'test/e2e/cli-emulator.test.ts',
  'emulator exec': 'test/e2e/exec.test.ts',
  'emulator reset': 'test/cli/commands/resources.test.ts',
  'emulator snapshot save': 'test/e2e/cli-state.test.ts',
  'emulator snapshot load': 'test/e2e/cli-state.test.ts',
  mcp: 'test/e2e/mcp.test.ts',
  doctor: 'test/cli/commands/doctor.test.ts',
  'gaps record': 'test/cli/commands/gaps.test.ts',
};

const UNKNOWN = '01JD3Z5K8Q4W6X7Y8Z9A0B1C2D';
const prefixes: Readonly<Record<string, string>> = {
  ...{ DELIVERY: 'del', EVENT: 'evt', ENDPOINT: 'wh', KEY: 'key', REQUEST: 'req', WORKSPACE: 'ws' },
};

/** They need an emulator too. */
const whileRunning = [
  ...['emulator stop', 'emulator reset', 'emulator snapshot save a', 'emulator snapshot load a'],
  ...['deliveries tail', 'logs tail'],
];

const splitWords = (line: string) =>
  (line.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replace(/^'|'$/g, ''));

/** The output without what differs between runs. */
function toStableText(text: string, cwd: string): string {
  const stable = text
    .replaceAll(cwd, 'FOLDER')
    .replaceAll(root, 'PACKAGE')
    .replace(/\b(del|evt|wh|ws|key|req|flt|att)_[0-9A-Z]{26}/g, '$1_…')
    .replace(/\b(svc_test_|whsec_)[\w-]{20,}/g, '$1…')
    .replace(/…[\w-]{4}(?=\s|$)/gm, '…')
    .replace(/(?<=^Process +)\d+/gm, 'PID')
    .replace(/\b[0-9a-f]{64}\b/g, 'DIGEST')
    .replace(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+Z?|Z)?/g, 'TIME')
    .replace(/\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT/g, 'TIME')
    // Each version of Node.js describes the mistake in its own words.
    .replace(/(?<=is not JSON: ).*/g, '…')
    .replace(/just now|\d+[smhd] ago/g, 'AGO')
    .replace(/\b\d+(?:\.\d+)?(?:ms|s)\b/g, 'DURATION')
    .replace(/(127\.0\.0\.1|localhost):\d+/g, '$1:PORT')
    .replace(/(?<=\S) {2,}(?=\S)/g, '  ')
    .replace(/ +$/gm, '');
  const all = stable.trimEnd().split('\n');
  return all.length > MAX_LINES && !text.startsWith('Claude Code')
    ? [...all.slice(0, MAX_LINES - LAST_LINES), '…', ...all.slice(-LAST_LINES)].join('\n')
    : all.join('\n');
}

it('each command line of golden/command-output.txt has the output below it', async () => {
  const cwd = createTemporaryFolder();
  const receiver = await createReceiver();
  const emulator = await startTestEmulator({
    wallClock: new Date(NOW),
    forwardTo: { url: receiver.url, events: ['*'] },
  });
  onTestFinished(() => Promise.all([emulator.close(), receiver.close()]).then(() => undefined));
  const { control } = emulator;
  const { base_url, api_key, control_url, workspace_id, webhook_id, webhook_secret } = emulator.status();
  // Not with fetch, whose headers differ between versions of Node.js.
  const api = createApiClient({ baseUrl: base_url, apiKey: api_key });
  const { value: event } = await api.createEvent('{"type":"order.shipped"}');
  await control.settleClock({});
  const [delivery] = (await control.listDeliveries({})).data;
  const [request] = (await control.listRequests({ method: 'POST' })).data;
  let urlCount = 0;
  const createEndpoint = () =>
    control.createWebhook({ url: `${receiver.url}/${++urlCount}`, events: ['a.b'] });
  const values: Readonly<Record<string, () => unknown>> = {
    ...{ EVENT: () => event.id, DELIVERY: () => delivery?.id, REQUEST: () => request?.id },
    ...{ ENDPOINT: () => webhook_id, SECRET: () => webhook_secret, WORKSPACE: () => workspace_id },
    ...{ RECEIVER: () => receiver.url, RECORDINGS: () => golden },
    ...{ UNKNOWN: () => UNKNOWN },
    NEW_ENDPOINT: async () => (await createEndpoint()).id,
    NEW_KEY: async () => (await control.createKey({ scopes: ['events:read'] })).id,
  };
  const fill = async (line: string) => {
    const words: string[] = [];
    for (const word of splitWords(line)) {
      const [name = ''] = /[A-Z]+(?:_[A-Z]+)*/.exec(word) ?? [];
      words.push(word.replace(name, String((await values[name]?.()) ?? name)));
    }
    return words;
  };
  const sections: string[] = [];
  for (const line of lines) {
    const env = { SVC_CONTROL_URL: control_url };
    const text = await runLine(await fill(line), { cwd, env });
    const { exitCode, out } = await runLine([...(await fill(line)), '--json'], { cwd, env });
    expect(exitCode, line).toBe(text.exitCode);
    const shown = [`svc ${line}`];
    if (text.out !== '') shown.push(toStableText(text.out, cwd));
    if (text.err !== '') shown.push(toStableText(text.err, cwd).replace(/^/gm, '! '));
    if (exitCode === ExitCode.success) shown.push(`--json: ${Object.keys(JSON.parse(out)).join(', ')}`);
    else shown.push(`exit code ${exitCode}`);
    sections.push(shown.join('\n'));
    // Later command lines show only what they deliver to the endpoint of the emulator.
    for (const { id } of (await control.listWebhooks({})).data)
      if (id !== webhook_id) await control.deleteWebhook({ id });
  }
  await expect(`${sections.join('\n\n')}\n`).toMatchFileSnapshot(file);
});

it('golden/command-output.txt has every command', () => {
  const names = Object.keys(commandsByName).filter((name) => !(name in elsewhere));
  expect(names.filter((name) => !lines.some((line) => `${line} `.startsWith(`${name} `)))).toEqual([]);
  expect(Object.keys(elsewhere).filter((name) => !(name in commandsByName))).toEqual([]);
});

it('each command without an emulator exits with 3 and suggests svc emulator start, or works as with one if it needs none', async () => {
  const cwd = createTemporaryFolder();
  const receiver = await createReceiver();
  onTestFinished(() => receiver.close());
  const offline = /^(?:agent|completion|config|fixtures (?!run)|gaps|receiver|sign\b)/;
  for (const line of [...lines, ...whileRunning]) {
    const words = splitWords(
      line
        .replace('RECORDINGS', golden)
        .replace('RECEIVER', receiver.url)
        .replace(/(?<=_)UNKNOWN/, UNKNOWN)
        .replace(/\b(?:NEW_)?(DELIVERY|EVENT|ENDPOINT|KEY|REQUEST|WORKSPACE)\b/, (_, name: string) => {
          return `${prefixes[name]}_${UNKNOWN}`;
        }),
    );
    // Nobody listens on this port, so the error names no other emulator.
    const { exitCode, out, err } = await runLine(words, { cwd, env: { SVC_PORT: '9' } });
    if (offline.test(line)) expect(exitCode, line).toBe(exitCodes.get(line));
    else {
      expect({ exitCode, out }, line).toEqual({ exitCode: ExitCode.noEmulator, out: '' });
      expect(err, line).toMatch(
        /^error: No emulator is running in this folder\.\nhint: .*svc emulator start/,
      );
    }
  }
});
