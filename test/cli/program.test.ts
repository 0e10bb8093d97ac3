import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import type { Example } from '../../src/cli/command.ts';
import { runCommandLine } from '../../src/cli/program.ts';
import { ExitCode } from '../../src/domain/errors.ts';
import { commandsByName, groupExamples, loadCommand } from '../support/command-definitions.ts';
import { listen } from '../support/local-server.ts';
import { createFakeHost, type FakeOptions } from './fake-context.ts';

async function run(args: string, options?: FakeOptions) {
  const { host, capturedOutput } = createFakeHost(options);
  const exitCode = await runCommandLine(args === '' ? [] : args.split(' '), host);
  return { exitCode, ...capturedOutput };
}

/** The words of an example, without redirections. Examples contain only single quotes. */
function toWords(example: string): string[] {
  const words = example.replace(/ >.*/, '').match(/'[^']*'|\S+/g) ?? [];
  return words.map((word) => word.replace(/^'|'$/g, ''));
}

const ULID = '01JD3Z5K8Q4W6X7Y8Z9A0B1C2D';

const toCommandLine = ([, commandLine]: Example) => commandLine;

/** Parses an example as the program does, and checks that each flag in it became the value of an option. */
async function expectParsed(name: string, words: readonly string[]): Promise<void> {
  const command = await loadCommand(name, { global: true });
  command.parse(words, { from: 'user' });
  const end = words.indexOf('--');
  const flags = words.slice(0, end < 0 ? undefined : end).filter((word) => /^--?[a-z]/i.test(word));
  const written = flags.map((flag) => {
    const option = command.options.find(({ long, short }) => [long, short].includes(flag.replace(/=.*/, '')));
    return option?.attributeName() ?? flag;
  });
  const parsed = Object.keys(command.opts()).filter((key) => command.getOptionValueSource(key) === 'cli');
  expect(parsed.sort(), words.join(' ')).toEqual([...new Set(written)].sort());
}

describe('help', () => {
  it.each([...Object.keys(commandsByName), 'deliveries', ''])(
    'svc %s --help prints the usage, a summary and examples to standard output',
    async (name) => {
      const { exitCode, out, err } = await run(`${name} --help`.trim());
      expect(exitCode).toBe(ExitCode.success);
      expect(out).toMatch(new RegExp(`^Usage: svc ?${name}.*\n\n[A-Z]\\w+[, ]`));
      expect(out).toMatch(/Examples:\n( {2}# [A-Z].*[^.]\n)? {2}\$ svc \w+/);
      expect(err).toBe('');
    },
  );

  it('svc, svc --help and svc help print the same, and so do svc help trigger and svc --help trigger', async () => {
    expect((await run('')).out).toBe((await run('--help')).out);
    expect((await run('help')).out).toBe((await run('--help')).out);
    expect((await run('help trigger')).out).toBe((await run('trigger --help')).out);
    expect((await run('--help trigger')).out).toBe((await run('trigger --help')).out);
  });

  it.each(Object.entries(commandsByName))(
    'svc %s accepts the examples in its help',
    async (name, { examples }) => {
      for (const example of examples.map(toCommandLine)) {
        expect(example).toMatch(new RegExp(`^${name}( |$)`));
        await expectParsed(name, toWords(example).slice(name.split(' ').length));
      }
    },
  );

  it.each(groupExamples.map(toCommandLine))(
    'the example "svc %s" of a group is accepted',
    async (example) => {
      const words = toWords(example);
      const name = [3, 2, 1]
        .map((count) => words.slice(0, count).join(' '))
        .find((each) => each in commandsByName);
      await expectParsed(name ?? '', words.slice(name?.split(' ').length));
    },
  );

  it('an error with --json contains the command of its hint', async () => {
    const { err } = await run('fixtures show no.fixture --json');
    expect(JSON.parse(err).error).toMatchObject({
      hint: { text: 'List the fixtures', command: 'svc fixtures list' },
    });
  });

  it('the root help names the documentation of the package', async () => {
    const [, path = ''] = /Read the documentation: (.*)/.exec((await run('--help')).out) ?? [];
    expect(existsSync(path)).toBe(true);
  });

  it('a group without a command prints its help to standard error', async () => {
    const { exitCode, out, err } = await run('deliveries');
    expect(exitCode).toBe(ExitCode.usage);
    expect(out).toBe('');
    expect(err).toContain('Usage: svc deliveries');
    expect(err).toContain('error: svc deliveries needs a command.\nhint: Choose one of: list, get, ');
  });

  it.each(Object.keys(commandsByName))('the options of svc %s follow one style', async (name) => {
    const { out } = await run(`${name} --help`);
    expect(out).not.toMatch(/default: ["[{]|choices: "/);
    const { options, registeredArguments } = await loadCommand(name);
    const texts = [...options, ...registeredArguments].map(({ description }) => description);
    expect(texts.filter((text) => !isHelpText(text))).toEqual([]);
  });
});

/** A phrase that starts with a capital letter, a code word or a quote, and has no final period. */
function isHelpText(text: string): boolean {
  return (
    /^(?:[A-Z'0-9]|json |del_)/.test(text) && !text.endsWith('.') && !/when left out|\(default/.test(text)
  );
}

describe('a mistyped command line', () => {
  it.each([
    ['tirgger', 'Unknown command: svc tirgger', 'Did you mean svc trigger?'],
    ['tirgger --help', 'Unknown command: svc tirgger', 'Did you mean svc trigger?'],
    ['--help tirgger', 'Unknown command: svc tirgger', 'Did you mean svc trigger?'],
    ['help tirgger', 'Unknown command: svc tirgger', 'Did you mean svc trigger?'],
    ['snapshot --help', 'Unknown command: svc snapshot', 'Did you mean svc emulator snapshot?'],
    ['snapshots', 'Unknown command: svc snapshots', 'Did you mean svc emulator snapshot?'],
    ['emulator list', 'Unknown command: svc emulator list', 'Did you mean svc emulator status?'],
    ['emulator stat', 'Unknown command: svc emulator stat', 'Did you mean svc emulator status?'],
    ['events list ord_1', 'Too many arguments: expected none, got 1.', 'Use: svc events list [options]'],
    [
      'logs list --method PSOT',
      'Invalid value for --method: "PSOT"',
      'Pass one of GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS, TRACE.',
    ],
    ['clock forward 5m', 'Unknown command: svc clock forward', 'Did you mean svc clock advance?'],
    ['send order.shipped', 'Unknown command: svc send', 'Did you mean svc trigger?'],
    ['fire', 'Unknown command: svc fire', 'Did you mean svc trigger?'],
    ['retry del_1', 'Unknown command: svc retry', 'Did you mean svc deliveries replay?'],
    ['deliveries retry', 'Unknown command: svc deliveries retry', 'Did you mean svc deliveries replay?'],
    ['deliveries show del_1', 'Unknown command: svc deliveries show', 'Did you mean svc deliveries get?'],
    ['clock get', 'Unknown command: svc clock get', 'Did you mean svc clock show?'],
    ['keys delete key_1', 'Unknown command: svc keys delete', 'Did you mean svc keys revoke?'],
    ['faults remove', 'Unknown command: svc faults remove', 'Did you mean svc faults clear?'],
    ['webhooks remove wh_1', 'Unknown command: svc webhooks remove', 'Did you mean svc webhooks delete?'],
    ['start', 'Unknown command: svc start', 'Did you mean svc emulator start?'],
    ['logs replay', 'Unknown command: svc logs replay', 'List the commands with: svc logs --help'],
    ['endpoints list', 'Unknown command: svc endpoints', 'Did you mean svc webhooks?'],
    ['delivery --help', 'Unknown command: svc delivery', 'Did you mean svc deliveries?'],
    ['requests', 'Unknown command: svc requests', 'Did you mean svc logs?'],
    ['dashboard', 'Unknown command: svc dashboard', 'Did you mean svc open?'],
    ['ui', 'Unknown command: svc ui', 'Did you mean svc open?'],
    ['telemetry', 'Unknown command: svc telemetry', 'List the commands with: svc --help'],
    ['deliveries lst', 'Unknown command: svc deliveries lst', 'Did you mean svc deliveries list?'],
    ['deliveries lst --help', 'Unknown command: svc deliveries lst', 'Did you mean svc deliveries list?'],
    [
      'emulator snapshot lod -h',
      'Unknown command: svc emulator snapshot lod',
      'Did you mean svc emulator snapshot load?',
    ],
    ['--jsn --help', 'Unknown option: --jsn', 'Did you mean --json?'],
    ['deliveries --jsn', 'Unknown option: --jsn', 'Did you mean --json?'],
    ['deliveries list --stauts failed', 'Unknown option: --stauts', 'Did you mean --status?'],
    ['deliveries list --stauts=failed --help', 'Unknown option: --stauts', 'Did you mean --status?'],
    ['deliveries list --help --stauts failed', 'Unknown option: --stauts', 'Did you mean --status?'],
    ['trigger order.shipped --payload {}', 'Unknown option: --payload', 'Did you mean --data?'],
    ['verify --data {}', 'Unknown option: --data', 'Did you mean --payload?'],
    ['deliveries list --endpoint wh_1', 'Unknown option: --endpoint', 'Did you mean --webhook?'],
    ['receiver fuzz 3000 --restart x', 'Unknown option: --restart', 'Did you mean --restart-command?'],
    [
      'webhooks list --workspace foo',
      'Invalid value for --workspace: "foo"',
      'Pass a workspace ID such as ws_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D. List the workspaces with: svc workspaces list',
    ],
    [
      'deliveries list --event evt_1',
      'Invalid value for --event: "evt_1"',
      'Pass an event ID such as evt_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D. List the events with: svc events list',
    ],
    [
      'logs list --key key_1',
      'Invalid value for --key: "key_1"',
      'Pass an API key ID such as key_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D. List the API keys with: svc keys list',
    ],
    [
      'logs list --resource nope',
      'Invalid value for --resource: "nope"',
      'Pass the ID of a resource, such as evt_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D.',
    ],
    [
      'faults clear foo',
      'Invalid value for id: "foo"',
      'Pass a fault ID such as flt_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D. List the faults with: svc faults list',
    ],
    [
      'trigger --wait order.shipped',
      'Invalid value for --wait: "order.shipped"',
      'Pass a duration, written like "90s" or "1h30m".',
    ],
    [
      'clock advance 3d 4h',
      'Too many arguments: expected 1, got 2.',
      'Use: svc clock advance [options] <duration>',
    ],
    ['-v', 'Unknown option: -v', 'Did you mean --version?'],
    ['version', 'Unknown command: svc version', 'Did you mean svc --version?'],
    ['env -5m', 'Unknown option: -5m', 'List the options with: svc env --help'],
    ['open --telemetry', 'Unknown option: --telemetry', 'List the options with: svc open --help'],
    [
      'emulator start --env-fil a',
      'Unknown option: --env-fil',
      'List the options with: svc emulator start --help',
    ],
    [
      'emulator snapshot save',
      'Missing argument: <file>',
      'Use: svc emulator snapshot save [options] <file>',
    ],
    ['help ', "Unknown command: svc ''", 'List the commands with: svc --help'],
    ['deliveries list --type=', 'Invalid value for --type: ""', 'Change the value: it must not be empty.'],
    ['listen 4242 4243', 'Too many arguments: expected 1, got 2.', 'Use: svc listen [options] [url]'],
    ['env a b', 'Too many arguments: expected none, got 2.', 'Use: svc env [options]'],
    ['env --format', '--format needs a value.', 'Use: --format <format>'],
    ['env --format xml', 'Invalid value for --format: "xml"', 'Choose one of: export, dotenv, json, github'],
    ['completion csh', 'Invalid value for shell: "csh"', 'Choose one of: bash, zsh, fish, powershell'],
    ['sign', 'Missing option: --payload', 'Add: --payload <body>'],
    [
      'webhooks create --url 3000 --events bad:type',
      'Invalid value for --events: "bad:type"',
      'Pass event types such as order.shipped, or *.',
    ],
    [
      'trigger order.shipped --override foo',
      'Invalid value for --override: "foo"',
      'Pass path=value, such as items[0].sku=MUG.',
    ],
    [
      'webhooks update wh_1 --enable --disable',
      '--disable and --enable cannot be used together.',
      'Remove one of them.',
    ],
    [
      'verify --delivery del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --scheme stripe',
      '--delivery and --scheme cannot be used together.',
      'Remove one of them.',
    ],
    [
      'deliveries replay --data {} --edit',
      '--data and --edit cannot be used together.',
      'Remove one of them.',
    ],
  ])('svc %s is a usage error with a hint', async (args, message, hint) => {
    const { exitCode, out, err } = await run(args);
    expect(err).toBe(`error: ${message}\nhint: ${hint}\n`);
    expect(out).toBe('');
    expect(exitCode).toBe(ExitCode.usage);
  });

  it.each([
    'deliveries list --status lost',
    'deliveries list --limit 0',
    'deliveries list --since yesterday',
    'trigger order.shipped --rate fast',
    'trigger order.shipped --idempotency-key a\nb',
    `events create order.shipped --idempotency-key ${'k'.repeat(256)}`,
    'trigger order.shipped --wait=soon',
    'webhooks create --url http://localhost',
    'keys create --scopes everything',
    'events get',
    'workspaces create a b',
    'webhooks update wh_1 --enable --disable',
    'webhooks update wh_1',
    'deliveries replay --since 1h',
    'deliveries replay del_1 --failed',
    'deliveries export --format pdf',
    'deliveries export del_1 --type a.b',
    'events import',
    'verify --secret s',
    'sign --payload x',
  ])('svc %s is a usage error', async (args) => {
    const { exitCode, out, err } = await run(args);
    expect(exitCode).toBe(ExitCode.usage);
    expect(out).toBe('');
    expect(err).toMatch(/^error: /);
  });

  it.each([
    ['trigger', 'type', 'List the event types with: svc fixtures list'],
    ['events create', 'type', 'List the event types with: svc fixtures list'],
    ['deliveries get', 'id', 'List the deliveries with: svc deliveries list'],
    ['events get', 'id', 'List the events with: svc events list'],
    ['webhooks get', 'id', 'List the endpoints with: svc webhooks list'],
    ['webhooks update --disable', 'id', 'List the endpoints with: svc webhooks list'],
    ['webhooks delete', 'id', 'List the endpoints with: svc webhooks list'],
    ['webhooks rotate-secret', 'id', 'List the endpoints with: svc webhooks list'],
    ['logs get', 'id', 'List the requests with: svc logs list'],
    ['keys revoke', 'id', 'List the API keys with: svc keys list'],
    ['fixtures show', 'name', 'List the fixtures with: svc fixtures list'],
    ['fixtures run', 'script', 'List the scripts with: svc fixtures list'],
    ['workspaces create', 'name', null],
    ['clock advance', 'duration', null],
    ['receiver check', 'url', null],
  ])(
    'svc %s without a terminal names the missing argument, how to pass it and where to look',
    async (args, name, hint) => {
      const usage = `Use: svc ${args.replace(/ --.*/, '')} [options] <${name}>`;
      const { exitCode, out, err } = await run(args);
      expect(err).toBe(
        `error: Missing argument: <${name}>\nhint: ${hint === null ? usage : `${usage}. ${hint}`}\n`,
      );
      expect([exitCode, out]).toEqual([ExitCode.usage, '']);
    },
  );

  it.each([
    ['webhooks create', '--url', 'Add: --url <url>'],
    [
      'webhooks create --url 3000',
      '--events',
      'Add: --events <list>. List the event types with: svc fixtures list',
    ],
  ])('svc %s without a terminal names the missing option %s', async (args, option, hint) => {
    const { exitCode, err } = await run(args);
    expect(exitCode).toBe(ExitCode.usage);
    expect(err).toBe(`error: Missing option: ${option}\nhint: ${hint}\n`);
  });

  it('svc deliveries replay without IDs says where they are', async () => {
    const { exitCode, err } = await run('deliveries replay');
    expect(exitCode).toBe(ExitCode.usage);
    expect(err).toBe(
      'error: Missing argument: <ids>\nhint: Use: svc deliveries replay [options] [ids...]. List the deliveries with: svc deliveries list\n',
    );
  });

  it('a usage error is one JSON object with --json', async () => {
    const { exitCode, out, err } = await run('deliveries --json lst');
    expect(exitCode).toBe(ExitCode.usage);
    expect(out).toBe('');
    expect(JSON.parse(err)).toEqual({
      error: {
        code: 'usage',
        message: 'Unknown command: svc deliveries lst',
        hint: { text: 'Did you mean svc deliveries list?' },
      },
    });
  });
});

describe('the target emulator', () => {
  const servers: { close(): void }[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  async function serve(responseBody: object = { data: [], has_more: false, end_cursor: null }) {
    const requests: string[] = [];
    const server = createServer((request, response) => {
      requests.push(String(request.url));
      response.end(JSON.stringify(responseBody));
    });
    const port = await listen(server);
    servers.push(server);
    return { url: `http://127.0.0.1:${port}`, requests };
  }

  it('a command without an emulator exits with 3 and a hint', async () => {
    const { exitCode, err } = await run('emulator status');
    expect(exitCode).toBe(ExitCode.noEmulator);
    expect(err).toContain('svc emulator start');
  });

  it('svc deliveries list uses the address in SVC_CONTROL_URL and sends its options as parameters', async () => {
    const { url, requests } = await serve();
    const options = `--status failed --event evt_${ULID} --type a.b --webhook wh_${ULID} --since 1h --limit 5 --starting-after del_1`;
    const { exitCode, out } = await run(`deliveries list ${options} --json`, {
      env: { SVC_CONTROL_URL: `${url}/_svc` },
    });
    expect(exitCode).toBe(ExitCode.success);
    expect(JSON.parse(out)).toEqual({ data: [], has_more: false, end_cursor: null });
    expect(requests).toEqual([
      `/_svc/deliveries?status=failed&event_id=evt_${ULID}&type=a.b&webhook_id=wh_${ULID}&since=1h&limit=5&starting_after=del_1`,
    ]);
  });

  it.each(['--url URL workspaces list', 'workspaces --url URL list', 'workspaces list --url URL'])(
    'a global option is accepted at any position: svc %s',
    async (args) => {
      const { url, requests } = await serve();
      const { exitCode } = await run(args.replace('URL', url), {
        env: { SVC_CONTROL_URL: 'http://127.0.0.1:9' },
      });
      expect(exitCode).toBe(ExitCode.success);
      expect(requests).toEqual(['/_svc/workspaces']);
    },
  );

  it('--url is the endpoint URL for a command that defines it', async () => {
    const { url, requests } = await serve();
    await run(`--url ${url} webhooks update wh_1 --url http://localhost:3000/hooks`);
    expect(requests).toEqual(['/_svc/webhooks/wh_1']);
  });
});

it('svc --version prints the version', async () => {
  const { exitCode, out } = await run('--version');
  expect(exitCode).toBe(ExitCode.success);
  expect(out).toMatch(/^\d+\.\d+\.\d+/);
});
