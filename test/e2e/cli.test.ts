/** Every command of the built program, in each of the ways in which it can end. */
import { stripVTControlCharacters } from 'node:util';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogue } from '../../src/cli/catalogue.ts';
import { createHttpControlPlane, type HttpControlPlane } from '../../src/control/http-client.ts';
import { ExitCode } from '../../src/errors.ts';
import { createReceiver, type Receiver } from '../support/receiver.ts';
import { cleanEnvironment, createPlace, program, startEmulator, svc } from './cli-program.ts';

const inhabited = createPlace();
const empty = createPlace();
const NOBODY = '01JD3Z5K8Q4W6X7Y8Z9A0B1C2D';

let emulator: Awaited<ReturnType<typeof startEmulator>>;
let control: HttpControlPlane;
let receiver: Receiver;
let ids: { event: string; delivery: string; webhook: string; workspace: string };

beforeAll(async () => {
  receiver = await createReceiver();
  emulator = await startEmulator(inhabited.cwd, '--db', ':memory:', '--freeze', '--forward-to', receiver.url);
  const { control_url: controlUrl, workspace_id, webhook_id } = emulator.ready;
  control = createHttpControlPlane({ controlUrl });
  const { stdout } = await svc(['trigger', 'order.shipped', '--json', '--wait'], { cwd: inhabited.cwd });
  const { event, deliveries } = JSON.parse(stdout);
  ids = { event: event.id, delivery: deliveries[0].id, webhook: webhook_id, workspace: workspace_id };
});

afterAll(async () => {
  emulator.subprocess.kill();
  await Promise.all([emulator.subprocess, receiver.close()]);
  inhabited.remove();
  empty.remove();
});

interface Row {
  /** Arguments with which the command succeeds. */
  readonly args?: () => readonly string[] | Promise<readonly string[]>;
  /** What a person then sees on standard output. */
  readonly shows: RegExp;
  /** Members of the JSON document. */
  readonly members: readonly string[];
  /** Arguments that are a mistake. */
  readonly mistake: readonly string[];
  /** Arguments that name what does not exist. */
  readonly nobody?: readonly string[];
  /** Needs no emulator. */
  readonly alone?: true;
}

const page = ['data', 'has_more', 'end_cursor'];
const clock = ['workspace_id', 'now', 'rate', 'wall', 'next_due_at'];
const move = [...clock, 'attempts', 'pending'];
const otherWorkspace = ['--workspace', `ws_${NOBODY}`];

async function createKey(): Promise<string> {
  return (await control.createKey({ scopes: ['events:read'] })).id;
}

async function createWebhook(): Promise<string> {
  const { stdout } = await svc(['webhooks', 'create', '--url', receiver.url, '--events', 'a.b', '--json'], {
    cwd: inhabited.cwd,
  });
  return JSON.parse(stdout).id;
}

const payload = ['--payload', '{}', '--secret', 'whsec_a'];

/** All but those that start and stop it, and those that go on until they are interrupted. */
const rows: Readonly<Record<string, Row>> = {
  'emulator status': {
    ...{ shows: /^Base URL +http/, members: ['url', 'pid', 'db', 'deliveries'], mistake: ['now'] },
  },
  trigger: {
    args: () => ['invoice.paid', '--override', 'total.amount=1'],
    shows: /^Event +evt_\w+\nType +invoice\.paid\n\nID .*\ndel_/,
    members: ['event', 'deliveries'],
    mistake: ['invoice.paid', '--data', '{'],
    nobody: ['invoice.paid', ...otherWorkspace],
  },
  'deliveries list': {
    args: () => ['--status', 'succeeded', '--limit', '1'],
    shows: /^ID +STATUS +TYPE .*\ndel_\w+ +succeeded/,
    members: page,
    mistake: ['--status', 'lost'],
    nobody: otherWorkspace,
  },
  'deliveries get': {
    args: () => [ids.delivery],
    shows: /^Delivery +del_[\s\S]*Attempt 1 +succeeded 200[\s\S]*Signed string\n {2}\d{4}-/,
    members: ['id', 'status', 'attempts'],
    mistake: [],
    nobody: [`del_${NOBODY}`],
  },
  'deliveries replay': {
    args: () => [ids.delivery, '--wait'],
    shows: /^ID +STATUS[\s\S]*del_\w+ +succeeded/,
    members: ['id', 'status', 'attempt_count'],
    mistake: ['del_1', '--failed'],
    nobody: [`del_${NOBODY}`],
  },
  'clock show': {
    ...{ shows: /^Workspace +ws_[\s\S]*frozen/, members: clock, mistake: ['now'], nobody: otherWorkspace },
  },
  'clock speed': {
    ...{ args: () => ['60'], shows: /^Workspace +ws_/, members: clock, mistake: ['fast'] },
    nobody: ['60', ...otherWorkspace],
  },
  'clock freeze': {
    ...{ shows: /Speed +frozen/, members: clock, mistake: ['now'], nobody: otherWorkspace },
  },
  'clock advance': {
    ...{ args: () => ['5m'], shows: /Schedule time/, members: move, mistake: ['far'] },
    nobody: ['5m', ...otherWorkspace],
  },
  'clock next': {
    ...{ shows: /Pending +0 deliveries/, members: move, mistake: ['now'], nobody: otherWorkspace },
  },
  'clock settle': {
    ...{ shows: /Pending +0 deliveries/, members: move, mistake: ['now'], nobody: otherWorkspace },
  },
  'clock resume': {
    ...{ shows: /Speed +60×/, members: clock, mistake: ['now'], nobody: otherWorkspace },
  },
  'events list': {
    args: () => ['--type', 'order.shipped'],
    shows: /^ID +TYPE +CREATED +PAYLOAD\nevt_\w+ +order\.shipped/,
    members: page,
    mistake: ['--limit', '101'],
    nobody: otherWorkspace,
  },
  'events get': {
    args: () => [ids.event],
    shows: /^\{\n {2}"id": "evt_/,
    members: ['id', 'workspace_id', 'type', 'payload', 'created_at'],
    mistake: [],
    nobody: [`evt_${NOBODY}`],
  },
  'events create': {
    args: () => ['order.created'],
    shows: /evt_\w+/,
    members: ['id', 'type', 'payload'],
    mistake: [],
    nobody: ['order.created', ...otherWorkspace],
  },
  'webhooks list': {
    ...{ shows: /^ID +URL +EVENTS/, members: page, mistake: ['--limit', '0'], nobody: otherWorkspace },
  },
  'webhooks get': {
    args: () => [ids.webhook],
    shows: /^ID +wh_/,
    members: ['id', 'url', 'events', 'disabled'],
    mistake: ['a', 'b'],
    nobody: [`wh_${NOBODY}`],
  },
  'webhooks create': {
    args: () => ['--url', receiver.url, '--events', 'a.b,c.d'],
    shows: /Secret +whsec_/,
    members: ['id', 'url', 'events', 'secret'],
    mistake: ['--url', 'ftp://a', '--events', 'a.b'],
    nobody: ['--url', 'https://example.com', '--events', 'a.b', ...otherWorkspace],
  },
  'webhooks update': {
    args: async () => [await createWebhook(), '--events', 'c.d'],
    shows: /Events +c\.d/,
    members: ['id', 'events'],
    mistake: ['wh_1'],
    nobody: [`wh_${NOBODY}`, '--disable'],
  },
  'webhooks delete': {
    args: async () => [await createWebhook()],
    shows: /wh_\w+/,
    members: ['id', 'deleted', 'canceled_deliveries'],
    mistake: [],
    nobody: [`wh_${NOBODY}`],
  },
  'webhooks rotate-secret': {
    args: async () => [await createWebhook()],
    shows: /Secret +whsec_/,
    members: ['id', 'secret', 'previous_secret_expires_at'],
    mistake: ['wh_1', '--overlap', 'long'],
    nobody: [`wh_${NOBODY}`],
  },
  'workspaces list': { shows: /^ID +NAME/, members: page, mistake: ['--limit', 'x'] },
  'workspaces get': {
    args: () => [ids.workspace],
    shows: /"id": "ws_/,
    members: ['id', 'name', 'environment', 'created_at'],
    mistake: ['a', 'b'],
    nobody: [`ws_${NOBODY}`],
  },
  'workspaces create': {
    args: () => ['Team A'],
    shows: /^ID +ws_\w+\nName +Team A/,
    members: ['id', 'name'],
    mistake: [''],
  },
  'keys list': { shows: /^ID +KEY +SCOPES/, members: page, mistake: ['x'], nobody: otherWorkspace },
  'keys create': {
    args: () => ['--scopes', 'events:read'],
    shows: /svc_test_\w+/,
    members: ['id', 'key', 'scopes', 'workspace_id', 'created_at'],
    mistake: ['--scopes', 'everything'],
    nobody: ['--scopes', 'events:read', ...otherWorkspace],
  },
  'keys revoke': {
    args: async () => [await createKey()],
    shows: /key_\w+/,
    members: ['id', 'revoked_at'],
    mistake: [],
    nobody: [`key_${NOBODY}`],
  },
  'logs list': {
    args: () => ['--method', 'POST'],
    shows: /^AT +METHOD +PATH +STATUS[\s\S]*POST +\/v1\/events +201/,
    members: page,
    mistake: ['--status', '99'],
    nobody: otherWorkspace,
  },
  verify: {
    args: () => ['--delivery', ids.delivery, '--secret', emulator.ready.webhook_secret],
    shows: /^valid /,
    members: ['ok', 'reason', 'detail', 'remedy', 'scheme'],
    mistake: ['--secret', 'a'],
    nobody: ['--delivery', `del_${NOBODY}`, '--secret', 'a'],
  },
  sign: {
    args: () => payload,
    shows: /^Service-Signature: v1=[0-9a-f]{64}\nService-Timestamp: /,
    members: ['headers', 'timestamp', 'signed_content'],
    mistake: ['--payload', '{}'],
    alone: true,
  },
  env: {
    shows: /^export SVC_BASE_URL=http[\s\S]*export SVC_API_KEY=svc_test_/,
    members: ['SVC_BASE_URL', 'SVC_API_KEY', 'SVC_WORKSPACE_ID', 'SVC_CONTROL_URL', 'SVC_WEBHOOK_SECRET'],
    mistake: ['--format', 'xml'],
  },
  gaps: { shows: /retry\.schedule/, members: ['data'], mistake: ['now'], alone: true },
  config: { shows: /port/, members: ['data'], mistake: ['now'], alone: true },
};

const streams = ['deliveries tail', 'logs tail'];
/** Those are driven in `cli-emulator.test.ts`. */
const startAndStop = ['emulator start', 'emulator stop'];

const commands = Object.entries(catalogue).flatMap(([name, entry]) =>
  'verbs' in entry ? Object.keys(entry.verbs).map((verb) => `${name} ${verb}`) : [name],
);

function run(name: string, args: readonly string[], cwd = inhabited.cwd) {
  return svc([...name.split(' '), ...args], { cwd });
}

async function argsOf({ args = () => [] }: Row): Promise<readonly string[]> {
  return args();
}

it('knows every command', () => {
  expect([...Object.keys(rows), ...streams, ...startAndStop].sort()).toEqual([...commands].sort());
});

describe.each(Object.entries(rows))('svc %s', (name, row) => {
  it('prints for people what it found or did', async () => {
    const { exitCode, stdout } = await run(name, await argsOf(row));
    expect(stdout).toMatch(row.shows);
    expect(exitCode).toBe(ExitCode.done);
  });

  it('prints one JSON document with --json', async () => {
    const { exitCode, stdout } = await run(name, [...(await argsOf(row)), '--json']);
    expect(Object.keys(JSON.parse(stdout))).toEqual(expect.arrayContaining([...row.members]));
    expect(exitCode).toBe(ExitCode.done);
  });

  it('refuses a mistake on standard error alone', async () => {
    const { exitCode, stdout, stderr } = await run(name, row.mistake);
    expect({ exitCode, stdout }).toEqual({ exitCode: ExitCode.usage, stdout: '' });
    expect(stderr).toMatch(/^error: \S/);
  });

  it('says so where no emulator runs, or does without', async () => {
    const { exitCode, stdout, stderr } = await run(name, await argsOf(row), empty.cwd);
    if (row.alone) {
      expect({ exitCode, stderr }).toEqual({ exitCode: ExitCode.done, stderr: '' });
    } else {
      expect({ exitCode, stdout }).toEqual({ exitCode: ExitCode.noEmulator, stdout: '' });
      expect(stderr).toMatch(/^error: No emulator runs in this folder\.\n.*svc emulator start/);
    }
  });
});

describe('what does not exist', () => {
  const asked = Object.entries(rows).flatMap(([name, { nobody }]) => (nobody ? [{ name, nobody }] : []));

  it.each(asked)('ends svc $name with 4 and its name', async ({ name, nobody }) => {
    const { exitCode, stdout, stderr } = await run(name, nobody);
    expect({ exitCode, stdout }).toEqual({ exitCode: ExitCode.notFound, stdout: '' });
    expect(stderr).toContain(NOBODY);
  });

  it('is told as JSON with --json', async () => {
    const { stderr } = await run('events get', [`evt_${NOBODY}`, '--json']);
    expect(JSON.parse(stderr)).toEqual({
      error: { code: 'not_found', message: expect.stringContaining(NOBODY) },
    });
  });
});

describe.each(streams)('svc %s', (name) => {
  it('prints a ready line and one object a line, and ends with 130 when it is interrupted', async () => {
    const tail = run(name, ['--since', '1h', '--json']);
    const lines: { type: string; sequence?: number }[] = [];
    for await (const line of tail) {
      lines.push(JSON.parse(line));
      if (lines.length === 2) tail.kill('SIGINT');
    }
    expect(await tail).toMatchObject({ exitCode: ExitCode.interrupted, stderr: '' });
    expect(lines[0]).toEqual({ type: 'ready' });
    expect(lines[1]).toEqual(
      expect.objectContaining({ type: expect.any(String), sequence: expect.any(Number) }),
    );
  });

  it('refuses a mistake, and says where no emulator runs', async () => {
    expect(await run(name, ['--since', 'then'])).toMatchObject({ exitCode: ExitCode.usage, stdout: '' });
    expect(await run(name, [], empty.cwd)).toMatchObject({ exitCode: ExitCode.noEmulator, stdout: '' });
  });
});

describe('the look of the output', () => {
  // What does not change from one second to the next.
  const args = ['logs', 'list', '--method', 'POST', '--path', '/v1/events'];
  const plain = async (env: Record<string, string> = {}, flags: string[] = []) =>
    (await svc([...args, ...flags], { cwd: inhabited.cwd, env })).stdout;

  it.skipIf(process.platform !== 'linux')(
    'is the same in a terminal as in a pipe, but for colour',
    async () => {
      const command = [process.execPath, program, ...args].map((word) => `'${word}'`).join(' ');
      const terminal = await execa('script', ['-qec', `stty cols 500; ${command}`, '/dev/null'], {
        ...{ cwd: inhabited.cwd, env: { ...cleanEnvironment(), TERM: 'xterm' }, extendEnv: false, input: '' },
      });
      expect(terminal.stdout).toContain('\x1b[');
      expect(stripVTControlCharacters(terminal.stdout).replaceAll('\r', '').trim()).toBe(
        (await plain()).trim(),
      );
    },
  );

  it('has no colour in a pipe, unless FORCE_COLOR says so; --no-color is the last word', async () => {
    const text = await plain();
    const colored = await plain({ FORCE_COLOR: '1' });
    expect(text).not.toContain('\x1b');
    expect(colored).toContain('\x1b[32m201');
    // The rest is the same, to the character.
    expect(stripVTControlCharacters(colored)).toBe(text);
    expect(await plain({ FORCE_COLOR: '1' }, ['--no-color'])).toBe(text);
    expect(await plain({ NO_COLOR: '1' })).toBe(text);
  });
});

describe('help', () => {
  const help = async (...words: string[]) => (await svc([...words, '--help'], { cwd: empty.cwd })).stdout;

  it('of svc', async () => {
    expect(await help()).toMatchInlineSnapshot(`
      "Usage: svc [options] [command]

      A local emulator of the Workspace Events and Webhooks API.

      Options:
        -V, --version         show the version
        -h, --help            show this help

      Global options:
        --json                print JSON; a stream prints one object a line
        --no-color            print without colours
        --url <url>           the emulator to talk to; otherwise SVC_CONTROL_URL, or the one of this folder
        --api-key <key>       the API key to use; otherwise SVC_API_KEY, or the one made at boot

      Commands:
        emulator [options]    Start, stop and look at the emulator of this folder
        trigger               Create an event, from a fixture or from data
        deliveries [options]  See what was sent to endpoints, and send it again
        clock [options]       Command the clock that decides when retries are due
        events [options]      List, read and create events
        webhooks [options]    Manage the endpoints that receive deliveries
        workspaces [options]  List, read and create workspaces
        keys [options]        Manage API keys
        logs [options]        See the requests made to the API
        verify                Check the signature of a delivery and say what is wrong
        sign                  Make the signature headers for a payload
        env                   Print the variables that point programs to the emulator
        gaps                  Show what the service description leaves open, and the answers
        config                Show every setting and where it came from

      Examples:
        $ svc emulator start
        $ svc trigger order.shipped --wait
        $ svc deliveries tail
      "
    `);
  });

  it('of a group', async () => {
    expect(await help('clock')).toMatchInlineSnapshot(`
      "Usage: svc clock [options] [command]

      Command the clock that decides when retries are due

      Global options:
        --json           print JSON; a stream prints one object a line
        --no-color       print without colours
        --url <url>      the emulator to talk to; otherwise SVC_CONTROL_URL, or the one of this folder
        --api-key <key>  the API key to use; otherwise SVC_API_KEY, or the one made at boot

      Options:
        -h, --help       show this help

      Commands:
        show             Show what time it is there
        speed            Let it run faster or slower
        freeze           Stop it
        resume           Let a stopped clock go on
        advance          Move it forward, sending all that falls due
        next             Move it to the next due attempt
        settle           Move it until no delivery is pending

      Examples:
        $ svc clock show --help
        $ svc clock speed --help
        $ svc clock freeze --help
        $ svc clock resume --help
        $ svc clock advance --help
        $ svc clock next --help
        $ svc clock settle --help
      "
    `);
  });

  it('of a command', async () => {
    expect(await help('deliveries', 'replay')).toMatchInlineSnapshot(`
      "Usage: svc deliveries replay [options] [ids...]

      Send deliveries again

      Arguments:
        ids                del_… del_…

      Options:
        --failed           every failed delivery, instead of naming some
        --since <when>     only those created since then: 1h, or a time
        --to <url>         send to this address, as a new delivery
        --data <json>      send this body, as a new delivery: JSON, @file, or - for standard input
        --edit             change the body in $VISUAL or $EDITOR first, and send it as a new delivery
        --new-id           make a new delivery with replay_of instead of a new attempt
        --rate <n/s>       of many, so many a second at most; 100/s when left out
        --wait [duration]  until each has been answered, 30s when left out; exit 1 if one failed
        -h, --help         show this help

      Global options:
        --json             print JSON; a stream prints one object a line
        --no-color         print without colours
        --url <url>        the emulator to talk to; otherwise SVC_CONTROL_URL, or the one of this folder
        --api-key <key>    the API key to use; otherwise SVC_API_KEY, or the one made at boot

      Examples:
        $ svc deliveries replay del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D
        $ svc deliveries replay --failed --since 1h --rate 20/s --wait=1m
        $ svc deliveries replay del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --to http://localhost:4000/hooks
        $ svc deliveries replay del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --data @changed.json
      "
    `);
  });

  it('of the emulator', async () => {
    expect(await help('emulator', 'start')).toMatchInlineSnapshot(`
      "Usage: svc emulator start [options]

      Boot the whole sandbox

      Options:
        --port <port>         port to listen on; 0 is any free one
        --host <address>      address to listen on
        --db <file>           file of the database, or :memory:
        --environment <name>  which of the two environments is emulated
        --profile <name>      the answers where the service description is silent
        --speed <n>           schedule seconds per real second
        --forward-to <url>    URL to register as an endpoint at boot
        --events <list>       event types of that endpoint
        --env-file <file>     file to write the variables of \`svc env\` to
        --ca <file>           PEM file of a certificate authority to trust
        --proxy <url>         proxy for public receivers; env takes that of the environment
        --cert <file>         PEM file of a certificate to serve HTTPS with
        --key <file>          PEM file of the key of that certificate
        --keep-days <n>       days after which settled events are removed
        --random-seed <n>     same ids, secrets and jitter on every run
        --freeze              start with the schedule clock stopped
        --https               serve HTTPS, with a certificate made for it
        --detach              run in the background, and return when it is ready
        -h, --help            show this help

      Global options:
        --json                print JSON; a stream prints one object a line
        --no-color            print without colours
        --url <url>           the emulator to talk to; otherwise SVC_CONTROL_URL, or the one of this folder
        --api-key <key>       the API key to use; otherwise SVC_API_KEY, or the one made at boot

      Node 20 takes --env-file for itself and fails when there is no such file yet. Write svc -- emulator start
      --env-file FILE there, or set SVC_ENV_FILE.

      Examples:
        $ svc emulator start
        $ svc emulator start --port 0 --db :memory: --json
        $ svc emulator start --forward-to http://localhost:3000/webhooks --events order.shipped,invoice.paid
        $ svc emulator start --speed 3600 --detach
        $ svc emulator start --env-file .env.local
        $ svc emulator start --https
      "
    `);
  });
});
