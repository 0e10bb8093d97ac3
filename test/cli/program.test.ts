import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Example } from '../../src/cli/command.ts';
import { ExitCode } from '../../src/domain/errors.ts';
import { commandsByName, loadCommand } from '../support/command-definitions.ts';
import { listenDuringTest } from '../support/local-server.ts';
import { type FakeOptions, runLine } from './fake-context.ts';

const run = (line: string, options?: FakeOptions) => runLine(line === '' ? [] : line.split(' '), options);

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
  it('the help of a group is on standard output, and has examples', async () => {
    const { exitCode, out, err } = await run('deliveries --help');
    expect([exitCode, err]).toEqual([ExitCode.success, '']);
    expect(out).toMatch(/^Usage: svc deliveries.*\n\n[A-Z][\s\S]*Examples:\n {2}# /);
  });

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
});

it('texts of options and arguments start with a capital or a value, and have no final period', async () => {
  const commands = await Promise.all(Object.keys(commandsByName).map((name) => loadCommand(name)));
  for (const { options, registeredArguments } of commands) {
    for (const { description } of [...options, ...registeredArguments]) {
      expect(description).toMatch(/^(?:[A-Z'0-9]|json |del_).*[^.]$/s);
    }
  }
});

it('no line of a help is wider than 118 columns', async () => {
  const names = ['', ...Object.keys(commandsByName)];
  const texts = await Promise.all(names.map(async (name) => (await run(`${name} --help`)).out));
  const lines = texts.flatMap((text) => text.split('\n'));
  expect(lines.filter((line) => line.length > 118 && !line.includes('Read the documentation'))).toEqual([]);
});

describe('a mistyped command line', () => {
  const file = join(import.meta.dirname, 'golden/usage-errors.txt');
  const lines = Array.from(readFileSync(file, 'utf8').matchAll(/^svc (.+)$/gm), ([, line = '']) => line);

  it('golden/usage-errors.txt has every command', () => {
    const names = Object.keys(commandsByName);
    expect(names.filter((name) => !lines.some((line) => `${line} `.startsWith(`${name} `)))).toEqual([]);
  });

  it('each command line of golden/usage-errors.txt is a usage error with the message and the hint below it', async () => {
    const sections: string[] = [];
    for (const line of lines) {
      const { exitCode, out, err } = await run(line);
      expect({ exitCode, out }, line).toEqual({ exitCode: ExitCode.usage, out: '' });
      sections.push(`svc ${line}\n${err}`);
    }
    await expect(sections.join('\n')).toMatchFileSnapshot(file);
  });

  it.each([
    'help ',
    'trigger order.shipped --idempotency-key a\nb',
    `events create a.b --idempotency-key ${'k'.repeat(256)}`,
  ])('svc %s is a usage error', async (args) => {
    expect(await run(args)).toMatchObject({ exitCode: ExitCode.usage, out: '' });
  });
});

describe('the target emulator', () => {
  async function serve(responseBody: object = { data: [], has_more: false, end_cursor: null }) {
    const requests: string[] = [];
    const server = createServer((request, response) => {
      requests.push(String(request.url));
      response.end(JSON.stringify(responseBody));
    });
    return { url: `http://127.0.0.1:${await listenDuringTest(server)}`, requests };
  }

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
