/** Every command with its summary, and the file that implements it. */
import type { CommandDefinition, Example } from './command.ts';

export interface CommandEntry {
  /** Imperative phrase with a noun. */
  readonly summary: string;
  /** Each command has its own type of options. `never` accepts all of them, but `run` can then be called only with a cast. */
  readonly load: () => Promise<CommandDefinition<never>>;
}

export interface CommandGroup {
  readonly summary: string;
  readonly examples: readonly Example[];
  readonly subcommands: Commands;
  /** The subcommand that runs if none is named. */
  readonly defaultSubcommand?: string;
}

/** Commands and groups by name. */
export type Commands = Readonly<Record<string, CommandEntry | CommandGroup>>;

/**
 * @param loadFile loads the file of the command, when the command runs
 * @param name the export of the file
 */
function defineCommand<Name extends string>(
  summary: string,
  loadFile: () => Promise<Readonly<Record<Name, CommandDefinition<never>>>>,
  name: Name,
): CommandEntry {
  return { summary, load: async () => (await loadFile())[name] };
}

const loadEmulator = () => import('./commands/emulator.ts');
const loadWebhooks = () => import('./commands/webhooks.ts');
const loadDeliveries = () => import('./commands/deliveries.ts');
const loadEvents = () => import('./commands/events.ts');
const loadLogs = () => import('./commands/logs.ts');
const loadSignature = () => import('./commands/signature.ts');
const loadClock = () => import('./commands/clock.ts');
const loadFaults = () => import('./commands/faults.ts');
const loadFixtures = () => import('./commands/fixtures.ts');
const loadReceiver = () => import('./commands/receiver.ts');
const loadReceiverFuzz = () => import('./commands/receiver-fuzz.ts');
const loadWorkspaces = () => import('./commands/workspaces.ts');
const loadKeys = () => import('./commands/keys.ts');

/** The commands below the headings of the root help. */
export const commandSections: Readonly<Record<string, Commands>> = {
  'Core commands:': {
    emulator: {
      summary: 'Start, stop and inspect the emulator for this folder',
      examples: [
        ['Start the emulator and forward events to a local receiver', 'emulator start --forward-to 3000'],
        ['Run tests against a temporary emulator', 'emulator exec -- npm test'],
      ],
      subcommands: {
        start: defineCommand('Start the emulator', () => import('./commands/emulator-start.ts'), 'command'),
        status: defineCommand('Show the running emulator', loadEmulator, 'emulatorStatus'),
        exec: defineCommand(
          'Run a command with a temporary emulator',
          () => import('./commands/emulator-exec.ts'),
          'command',
        ),
        wait: defineCommand('Wait until the emulator is ready', loadEmulator, 'emulatorWait'),
        stop: defineCommand('Stop the emulator', loadEmulator, 'emulatorStop'),
        reset: defineCommand('Reset the emulator to its initial state', loadEmulator, 'emulatorReset'),
        snapshot: {
          summary: 'Save or load the state of the emulator',
          examples: [
            ['Save all state', 'emulator snapshot save state.svc'],
            ['Return to the saved state', 'emulator snapshot load state.svc'],
          ],
          subcommands: {
            save: defineCommand('Save all state to a file', loadEmulator, 'snapshotSave'),
            load: defineCommand('Replace all state with a snapshot', loadEmulator, 'snapshotLoad'),
          },
        },
      },
    },
    trigger: defineCommand(
      'Create an event from a fixture or from your own data',
      () => import('./commands/trigger.ts'),
      'command',
    ),
    listen: defineCommand(
      'Receive deliveries, or forward them to a local receiver, while the command runs',
      () => import('./commands/listen.ts'),
      'command',
    ),
    webhooks: {
      summary: 'Manage the endpoints that receive deliveries',
      examples: [
        [
          'Register an endpoint',
          'webhooks create --url http://localhost:3000/webhooks --events order.shipped',
        ],
        ['List the endpoints', 'webhooks list'],
      ],
      subcommands: {
        list: defineCommand('List endpoints, newest first', loadWebhooks, 'list'),
        get: defineCommand('Show an endpoint', loadWebhooks, 'get'),
        create: defineCommand('Register an endpoint', loadWebhooks, 'create'),
        update: defineCommand('Update an endpoint', loadWebhooks, 'update'),
        delete: defineCommand('Delete an endpoint', loadWebhooks, 'deleteCommand'),
        'rotate-secret': defineCommand('Rotate an endpoint secret', loadWebhooks, 'rotateSecret'),
      },
    },
  },
  'Inspect:': {
    explain: defineCommand(
      'Explain why a delivery failed, and what to do',
      () => import('./commands/explain.ts'),
      'command',
    ),
    deliveries: {
      summary: 'Inspect, replay, export and wait for deliveries',
      examples: [
        ['List the deliveries that failed', 'deliveries list --status failed'],
        ['Replay everything that failed in the last hour', 'deliveries replay --failed --since 1h'],
      ],
      subcommands: {
        list: defineCommand('List deliveries, newest first', loadDeliveries, 'list'),
        get: defineCommand('Show a delivery with all its attempts', loadDeliveries, 'get'),
        tail: defineCommand('Follow delivery attempts in real time', loadDeliveries, 'tail'),
        replay: defineCommand(
          'Send deliveries again',
          () => import('./commands/deliveries-replay.ts'),
          'command',
        ),
        wait: defineCommand('Wait until deliveries have settled', loadDeliveries, 'wait'),
        export: defineCommand(
          'Export deliveries as HAR or NDJSON',
          () => import('./commands/deliveries-export.ts'),
          'command',
        ),
      },
    },
    events: {
      summary: 'List, show, create and import events',
      examples: [
        ['List the newest events', 'events list --limit 5'],
        ['Create an event', `events create order.shipped --data '{"order_id":"ord_1"}'`],
      ],
      subcommands: {
        list: defineCommand('List events, newest first', loadEvents, 'list'),
        get: defineCommand('Show an event', loadEvents, 'get'),
        create: defineCommand('Create an event', loadEvents, 'create'),
        import: defineCommand(
          'Create the events of a recording again',
          () => import('./commands/events-import.ts'),
          'command',
        ),
      },
    },
    logs: {
      summary: 'Inspect the requests made to the API',
      examples: [['Follow the requests that are rejected with 422', 'logs tail --status 422']],
      subcommands: {
        list: defineCommand('List API requests, newest first', loadLogs, 'list'),
        get: defineCommand('Show an API request with its headers and bodies', loadLogs, 'get'),
        tail: defineCommand('Follow API requests in real time', loadLogs, 'tail'),
      },
    },
    verify: defineCommand(
      'Verify the signature of a delivery and explain a failure',
      loadSignature,
      'verify',
    ),
    open: defineCommand('Open the dashboard in the browser', () => import('./commands/open.ts'), 'command'),
  },
  'Simulate:': {
    clock: {
      summary: 'Control the clock that decides when retries are due',
      examples: [
        ['Move time forward and send every retry that becomes due', 'clock advance 35m'],
        ['Run the retry schedule 60 times faster', 'clock speed 60'],
      ],
      subcommands: {
        show: defineCommand('Show the schedule clock', loadClock, 'show'),
        speed: defineCommand('Set the speed of the schedule clock', loadClock, 'speed'),
        freeze: defineCommand('Freeze the schedule clock', loadClock, 'freeze'),
        resume: defineCommand('Resume a frozen schedule clock', loadClock, 'resume'),
        advance: defineCommand(
          'Move the schedule clock forward and send every attempt that becomes due',
          loadClock,
          'advance',
        ),
        next: defineCommand('Move the schedule clock to the next scheduled attempt', loadClock, 'next'),
        settle: defineCommand('Move the schedule clock until no delivery is pending', loadClock, 'settle'),
      },
    },
    faults: {
      summary: 'Inject failures into API requests and deliveries',
      examples: [
        ['Return 503 for the next two requests', 'faults add --on request --status 503 --count 2'],
        ['Send every delivery twice', 'faults add --on delivery --kind duplicate'],
        ['Remove all faults', 'faults clear'],
      ],
      subcommands: {
        add: defineCommand('Add a fault', loadFaults, 'add'),
        list: defineCommand('List faults and how often each was applied', loadFaults, 'list'),
        clear: defineCommand('Remove faults', loadFaults, 'clear'),
      },
    },
    fixtures: {
      summary: 'List, show, import, validate and run fixtures',
      examples: [['List event fixtures and scripts', 'fixtures list']],
      subcommands: {
        list: defineCommand('List event fixtures and scripts', loadFixtures, 'list'),
        show: defineCommand('Show a fixture', loadFixtures, 'show'),
        run: defineCommand('Run a script of events, clock moves and checks', loadFixtures, 'run'),
        import: defineCommand(
          'Create fixtures from recorded events',
          () => import('./commands/fixtures-import.ts'),
          'command',
        ),
        validate: defineCommand('Validate fixture files', loadFixtures, 'validate'),
      },
    },
    receiver: {
      summary: 'Check and fuzz your receiver, or print an example receiver',
      examples: [
        ['Check a receiver against the webhook rules', 'receiver check http://localhost:3000/webhooks'],
        [
          'Search for a delivery sequence that a receiver handles incorrectly',
          'receiver fuzz http://localhost:3000/webhooks',
        ],
      ],
      subcommands: {
        check: defineCommand('Check a receiver against the webhook rules', loadReceiver, 'check'),
        fuzz: defineCommand(
          'Search for a delivery sequence that a receiver handles incorrectly',
          loadReceiverFuzz,
          'fuzz',
        ),
        example: defineCommand('Print an example receiver that passes every check', loadReceiver, 'example'),
      },
    },
    sign: defineCommand('Create the signature headers for a payload', loadSignature, 'sign'),
  },
  'Setup:': {
    agent: defineCommand(
      'Show how to connect coding agents to svc',
      () => import('./commands/agent.ts'),
      'command',
    ),
    mcp: defineCommand(
      'Serve coding agents over the Model Context Protocol (MCP)',
      () => import('./commands/mcp.ts'),
      'command',
    ),
    workspaces: {
      summary: 'List, show and create workspaces',
      examples: [['Create a workspace', 'workspaces create Staging']],
      subcommands: {
        list: defineCommand('List workspaces, newest first', loadWorkspaces, 'list'),
        get: defineCommand('Show a workspace', loadWorkspaces, 'get'),
        create: defineCommand('Create a workspace', loadWorkspaces, 'create'),
      },
    },
    keys: {
      summary: 'Manage API keys',
      examples: [['Create a key that can only read events', 'keys create --scopes events:read']],
      subcommands: {
        list: defineCommand('List API keys, newest first', loadKeys, 'list'),
        create: defineCommand('Create an API key', loadKeys, 'create'),
        revoke: defineCommand('Revoke an API key', loadKeys, 'revoke'),
      },
    },
    env: defineCommand(
      'Print the environment variables that connect a program to the emulator',
      () => import('./commands/env.ts'),
      'command',
    ),
    config: defineCommand(
      'Show every setting and its source',
      () => import('./commands/config.ts'),
      'command',
    ),
    gaps: {
      summary: 'List the gaps of the service description, or compare the service with them',
      examples: [
        ['List the open questions and how svc resolves them', 'gaps list'],
        ['Compare recorded traffic of the service with the configuration', 'gaps check staging.har'],
      ],
      defaultSubcommand: 'list',
      subcommands: {
        list: defineCommand(
          'List the open questions and how svc resolves them',
          () => import('./commands/gaps.ts'),
          'list',
        ),
        check: defineCommand(
          'Compare recorded traffic of the service with the configuration',
          () => import('./commands/gaps-check.ts'),
          'check',
        ),
        record: defineCommand(
          'Send harmless requests to the service and record them',
          () => import('./commands/gaps-record.ts'),
          'record',
        ),
      },
    },
    doctor: defineCommand(
      'Check the installation, the emulator and the endpoints',
      () => import('./commands/doctor.ts'),
      'command',
    ),
    completion: defineCommand(
      'Print the completion script for a shell',
      () => import('./commands/completion.ts'),
      'command',
    ),
  },
};

export const commandTree: Commands = Object.assign({}, ...Object.values(commandSections));
