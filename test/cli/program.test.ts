import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { runCommandLine } from '../../src/cli/program.ts';
import { ExitCode } from '../../src/errors.ts';
import { commandsByName, loadCommand } from '../support/command-definitions.ts';
import { createFakeHost, type FakeOptions } from './fake-context.ts';

async function run(args: string, options?: FakeOptions) {
  const { host, capturedOutput } = createFakeHost(options);
  const exitCode = await runCommandLine(args === '' ? [] : args.split(' '), host);
  return { exitCode, ...capturedOutput };
}

/** The words of an example, in which only single quotes are used, and no redirection counts. */
function toWords(example: string): string[] {
  const words = example.replace(/ >.*/, '').match(/'[^']*'|\S+/g) ?? [];
  return words.map((word) => word.replace(/^'|'$/g, ''));
}

describe('help', () => {
  it.each([...Object.keys(commandsByName), 'deliveries', ''])(
    'of "svc %s" goes to standard output and shows examples',
    async (name) => {
      const { exitCode, out, err } = await run(`${name} --help`.trim());
      expect(exitCode).toBe(ExitCode.success);
      expect(out).toMatch(new RegExp(`^Usage: svc ?${name}`));
      expect(out).toMatch(/Examples:\n {2}\$ svc \w+/);
      expect(err).toBe('');
    },
  );

  it('is the same when asked for by "svc", and by "svc help trigger"', async () => {
    expect((await run('')).out).toBe((await run('--help')).out);
    expect((await run('help trigger')).out).toBe((await run('trigger --help')).out);
  });

  it.each(Object.entries(commandsByName))(
    'of "svc %s" shows examples that it accepts',
    async (name, { load }) => {
      const { examples } = (await load()).command;
      for (const example of examples) {
        const command = await loadCommand(name, { global: true });
        const words = toWords(example).slice(name.split(' ').length);
        expect(() => command.parse(words, { from: 'user' }), example).not.toThrow();
        expect(example).toMatch(new RegExp(`^${name}( |$)`));
      }
    },
  );

  it('goes to standard error when a group is named without a command', async () => {
    const { exitCode, out, err } = await run('deliveries');
    expect(exitCode).toBe(ExitCode.usage);
    expect(out).toBe('');
    expect(err).toContain('Usage: svc deliveries');
  });
});

describe('a mistyped command line', () => {
  it.each([
    ['deliverys list', "unknown command 'deliverys'", 'Did you mean deliveries?'],
    ['deliveries lst', "unknown command 'lst'", 'Did you mean list?'],
    ['deliveries list --stauts failed', "unknown option '--stauts'", 'Did you mean --status?'],
  ])('"svc %s" suggests the nearest', async (args, message, hint) => {
    const { exitCode, err } = await run(args);
    expect(exitCode).toBe(ExitCode.usage);
    expect(err).toBe(`error: ${message}\nhint: ${hint}\n`);
  });

  it.each([
    'deliveries list --status lost',
    'deliveries list --limit 0',
    'deliveries list --since yesterday',
    'trigger order.shipped --rate fast',
    'trigger order.shipped --wait=soon',
    'webhooks create --url http://localhost',
    'keys create --scopes everything',
    'events get',
    'workspaces create a b',
    'webhooks update wh_1 --enable --disable',
    'webhooks update wh_1',
    'deliveries replay --since 1h',
    'deliveries replay del_1 --failed',
    'verify --secret s',
    'sign --payload x',
  ])('"svc %s" is a usage error', async (args) => {
    const { exitCode, out, err } = await run(args);
    expect(exitCode).toBe(ExitCode.usage);
    expect(out).toBe('');
    expect(err).toMatch(/^error: /);
  });

  it.each(['trigger', 'deliveries get', 'workspaces create'])(
    '"svc %s" is a usage error where nobody can be asked for what is missing',
    async (args) => {
      const { exitCode, err } = await run(args, { env: { SVC_CONTROL_URL: 'http://127.0.0.1:9' } });
      expect(exitCode).toBe(ExitCode.usage);
      expect(err).toContain('missing required argument');
    },
  );

  it('is told as one JSON object with --json', async () => {
    const { exitCode, out, err } = await run('deliveries --json lst');
    expect(exitCode).toBe(ExitCode.usage);
    expect(out).toBe('');
    expect(JSON.parse(err)).toEqual({
      error: { code: 'usage', message: "unknown command 'lst'", hint: 'Did you mean list?' },
    });
  });
});

describe('finding the emulator', () => {
  const servers: { close(): void }[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  async function serve(answer: object = { data: [], has_more: false, end_cursor: null }) {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(String(request.url));
      response.end(JSON.stringify(answer));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    servers.push(server);
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
  }

  it('exits with 3 and a hint when there is none', async () => {
    const { exitCode, err } = await run('emulator status');
    expect(exitCode).toBe(ExitCode.noEmulator);
    expect(err).toContain('svc emulator start');
  });

  it('takes the address from the variable, and sends options as members of the request', async () => {
    const { url, asked } = await serve();
    const options =
      '--status failed --event evt_1 --type a.b --webhook wh_1 --since 1h --limit 5 --starting-after del_1';
    const { exitCode, out } = await run(`deliveries list ${options} --json`, {
      env: { SVC_CONTROL_URL: `${url}/_svc` },
    });
    expect(exitCode).toBe(ExitCode.success);
    expect(JSON.parse(out)).toEqual({ data: [], has_more: false, end_cursor: null });
    expect(asked).toEqual([
      '/_svc/deliveries?limit=5&starting_after=del_1&status=failed&event_id=evt_1&type=a.b&webhook_id=wh_1&since=1h',
    ]);
  });

  it.each(['--url URL workspaces list', 'workspaces --url URL list', 'workspaces list --url URL'])(
    'takes a global option in any place: svc %s',
    async (args) => {
      const { url, asked } = await serve();
      const { exitCode } = await run(args.replace('URL', url), {
        env: { SVC_CONTROL_URL: 'http://127.0.0.1:9' },
      });
      expect(exitCode).toBe(ExitCode.success);
      expect(asked).toEqual(['/_svc/workspaces']);
    },
  );

  it('links the ids that it prints to the dashboard of that emulator, where the terminal shows links', async () => {
    const { url } = await serve({
      id: 'wh_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
      deleted: true,
      canceled_deliveries: 0,
    });
    const remove = (look: object, flags = '') =>
      run(`webhooks delete wh_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --url ${url} ${flags}`.trim(), { look });
    expect((await remove({ links: true })).out).toContain(`\x1b]8;;${url}/#/webhooks/wh_01JD`);
    expect((await remove({ links: true }, '--json')).out).not.toContain('\x1b');
    expect((await remove({})).out).not.toContain('\x1b');
  });

  it('takes --url for the address of the endpoint where a command says so', async () => {
    const { url, asked } = await serve();
    await run(`--url ${url} webhooks update wh_1 --url http://localhost:3000/hooks`);
    expect(asked).toEqual(['/_svc/webhooks/wh_1']);
  });
});

it('prints the version', async () => {
  const { exitCode, out } = await run('--version');
  expect(exitCode).toBe(ExitCode.success);
  expect(out).toMatch(/^\d+\.\d+\.\d+/);
});
