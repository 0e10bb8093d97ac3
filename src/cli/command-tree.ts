/** Every command with its summary, and the file that implements it. */
import type { CommandLoader } from './command.ts';
import type { Example } from './help.ts';

/** The hidden command that the completion scripts call. */
export const COMPLETE_COMMAND = '__complete';

/** Headings of the root help, in their order. */
export const commandSections = {
  core: 'Core commands:',
  inspect: 'Inspect:',
  simulate: 'Simulate:',
  setup: 'Setup:',
} as const;

type TopLevelCommand = (CommandEntry | CommandGroup) & { readonly section: keyof typeof commandSections };

export interface CommandEntry {
  /** Imperative phrase with a noun. */
  readonly summary: string;
  readonly load: CommandLoader;
  /** Other verbs that people try. The help does not show them. */
  readonly aliases?: readonly string[];
}

export interface CommandGroup {
  readonly summary: string;
  readonly examples: readonly Example[];
  readonly subcommands: Readonly<Record<string, CommandEntry | CommandGroup>>;
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
const loadWorkspaces = () => import('./commands/workspaces.ts');
const loadKeys = () => import('./commands/keys.ts');

export const commandTree: Readonly<Record<string, TopLevelCommand>> = {
  emulator: {
    section: 'core',
    summary: 'Start, stop and inspect the emulator of this folder',
    examples: [
      ['Start the emulator and forward events to a local receiver', 'emulator start --forward-to 3000'],
      ['Run tests against a temporary emulator', 'emulator exec -- npm test'],
    ],
    subcommands: {
      start: {
        summary: 'Start the emulator',
        load: async () => (await import('./commands/emulator-start.ts')).command,
      },
      status: {
        summary: 'Show the running emulator',
        load: async () => (await loadEmulator()).emulatorStatus,
      },
      exec: {
        summary: 'Run a command with a temporary emulator',
        load: async () => (await import('./commands/emulator-exec.ts')).command,
      },
      wait: {
        summary: 'Wait until the emulator is ready',
        load: async () => (await loadEmulator()).emulatorWait,
      },
      stop: { summary: 'Stop the emulator', load: async () => (await loadEmulator()).emulatorStop },
      reset: {
        summary: 'Reset the emulator to its state after the start or the last loaded snapshot',
        load: async () => (await loadEmulator()).emulatorReset,
      },
      restore: {
        summary: 'Write the database file again after it was removed',
        load: async () => (await loadEmulator()).emulatorRestore,
      },
      snapshot: {
        summary: 'Save or load the state of the emulator',
        examples: [
          ['Save all state', 'emulator snapshot save state.svc'],
          ['Return to the saved state', 'emulator snapshot load state.svc'],
        ],
        subcommands: {
          save: {
            summary: 'Save all state to a file',
            load: async () => (await loadEmulator()).snapshotSave,
          },
          load: {
            summary: 'Replace all state with a snapshot',
            load: async () => (await loadEmulator()).snapshotLoad,
          },
        },
      },
    },
  },
  trigger: {
    section: 'core',
    summary: 'Create an event from a fixture or from your own data',
    load: async () => (await import('./commands/trigger.ts')).command,
  },
  listen: {
    section: 'core',
    summary: 'Forward deliveries to a local receiver while the command runs',
    load: async () => (await import('./commands/listen.ts')).command,
  },
  webhooks: {
    section: 'core',
    summary: 'Manage the endpoints that receive deliveries',
    examples: [
      ['Register an endpoint', 'webhooks create --url http://localhost:3000/webhooks --events order.shipped'],
      ['List the endpoints', 'webhooks list'],
    ],
    subcommands: {
      list: { summary: 'List endpoints, newest first', load: async () => (await loadWebhooks()).list },
      get: { summary: 'Show an endpoint', load: async () => (await loadWebhooks()).get, aliases: ['show'] },
      create: { summary: 'Register an endpoint', load: async () => (await loadWebhooks()).create },
      update: { summary: 'Change an endpoint', load: async () => (await loadWebhooks()).update },
      delete: { summary: 'Delete an endpoint', load: async () => (await loadWebhooks()).deleteCommand },
      'rotate-secret': {
        summary: 'Rotate the secret of an endpoint',
        load: async () => (await loadWebhooks()).rotateSecret,
      },
    },
  },
  deliveries: {
    section: 'inspect',
    summary: 'Inspect, replay and wait for deliveries',
    examples: [
      ['List the deliveries that failed', 'deliveries list --status failed'],
      ['Replay everything that failed in the last hour', 'deliveries replay --failed --since 1h'],
    ],
    subcommands: {
      list: { summary: 'List deliveries, newest first', load: async () => (await loadDeliveries()).list },
      get: {
        summary: 'Show a delivery with all its attempts',
        load: async () => (await loadDeliveries()).get,
        aliases: ['show'],
      },
      tail: {
        summary: 'Follow delivery attempts in real time',
        load: async () => (await loadDeliveries()).tail,
      },
      replay: {
        summary: 'Send deliveries again',
        load: async () => (await import('./commands/deliveries-replay.ts')).command,
      },
      wait: { summary: 'Wait until deliveries are settled', load: async () => (await loadDeliveries()).wait },
    },
  },
  events: {
    section: 'inspect',
    summary: 'List, show and create events',
    examples: [
      ['List the newest events', 'events list --limit 5'],
      ['Create an event', `events create order.shipped --data '{"order_id":"ord_1"}'`],
    ],
    subcommands: {
      list: { summary: 'List events, newest first', load: async () => (await loadEvents()).list },
      get: { summary: 'Show an event', load: async () => (await loadEvents()).get, aliases: ['show'] },
      create: { summary: 'Create an event', load: async () => (await loadEvents()).create },
    },
  },
  logs: {
    section: 'inspect',
    summary: 'Inspect the requests made to the API',
    examples: [['Follow the requests that are rejected with 422', 'logs tail --status 422']],
    subcommands: {
      list: { summary: 'List API requests, newest first', load: async () => (await loadLogs()).list },
      tail: { summary: 'Follow API requests in real time', load: async () => (await loadLogs()).tail },
    },
  },
  verify: {
    section: 'inspect',
    summary: 'Verify the signature of a delivery and explain a failure',
    load: async () => (await loadSignature()).verify,
  },
  open: {
    section: 'inspect',
    summary: 'Open the dashboard in the browser',
    load: async () => (await import('./commands/open.ts')).command,
  },
  clock: {
    section: 'simulate',
    summary: 'Control the clock that decides when retries are due',
    examples: [
      ['Move time forward and send every retry that becomes due', 'clock advance 35m'],
      ['Run the retry schedule 60 times faster', 'clock speed 60'],
    ],
    subcommands: {
      show: {
        summary: 'Show the schedule clock',
        load: async () => (await loadClock()).show,
        aliases: ['get'],
      },
      speed: { summary: 'Set the speed of the schedule clock', load: async () => (await loadClock()).speed },
      freeze: { summary: 'Freeze the schedule clock', load: async () => (await loadClock()).freeze },
      resume: { summary: 'Resume a frozen schedule clock', load: async () => (await loadClock()).resume },
      advance: {
        summary: 'Move the schedule clock forward and send every attempt that becomes due',
        load: async () => (await loadClock()).advance,
      },
      next: {
        summary: 'Move the schedule clock to the next due attempt',
        load: async () => (await loadClock()).next,
      },
      settle: {
        summary: 'Move the schedule clock until no delivery is pending',
        load: async () => (await loadClock()).settle,
      },
    },
  },
  faults: {
    section: 'simulate',
    summary: 'Inject failures into API requests and deliveries',
    examples: [
      ['Return 503 for the next two requests', 'faults add --on request --status 503 --count 2'],
      ['Send every delivery twice', 'faults add --on delivery --kind duplicate'],
      ['Remove all faults', 'faults clear'],
    ],
    subcommands: {
      add: { summary: 'Add a fault', load: async () => (await loadFaults()).add },
      list: {
        summary: 'List faults and how often each has fired',
        load: async () => (await loadFaults()).list,
      },
      clear: {
        summary: 'Remove faults',
        load: async () => (await loadFaults()).clear,
        aliases: ['delete', 'remove'],
      },
    },
  },
  fixtures: {
    section: 'simulate',
    summary: 'List, show, validate and run fixtures',
    examples: [['List the sample events and scripts', 'fixtures list']],
    subcommands: {
      list: { summary: 'List sample events and scripts', load: async () => (await loadFixtures()).list },
      show: { summary: 'Show a fixture', load: async () => (await loadFixtures()).show, aliases: ['get'] },
      run: { summary: 'Run a script of several steps', load: async () => (await loadFixtures()).run },
      types: {
        summary: 'Generate TypeScript types for event types and payloads',
        load: async () => (await loadFixtures()).types,
      },
      validate: { summary: 'Validate fixture files', load: async () => (await loadFixtures()).validate },
    },
  },
  receiver: {
    section: 'simulate',
    summary: 'Check your receiver, or print an example receiver',
    examples: [
      ['Check a receiver against the webhook rules', 'receiver check http://localhost:3000/webhooks'],
    ],
    subcommands: {
      check: {
        summary: 'Check a receiver against the webhook rules',
        load: async () => (await loadReceiver()).check,
      },
      example: {
        summary: 'Print an example receiver that passes every check',
        load: async () => (await loadReceiver()).example,
      },
    },
  },
  sign: {
    section: 'simulate',
    summary: 'Create the signature headers for a payload',
    load: async () => (await loadSignature()).sign,
  },
  workspaces: {
    section: 'setup',
    summary: 'List, show and create workspaces',
    examples: [['Create a workspace', 'workspaces create Staging']],
    subcommands: {
      list: { summary: 'List workspaces, newest first', load: async () => (await loadWorkspaces()).list },
      get: { summary: 'Show a workspace', load: async () => (await loadWorkspaces()).get, aliases: ['show'] },
      create: { summary: 'Create a workspace', load: async () => (await loadWorkspaces()).create },
    },
  },
  keys: {
    section: 'setup',
    summary: 'Manage API keys',
    examples: [['Create a key that can only read events', 'keys create --scopes events:read']],
    subcommands: {
      list: { summary: 'List API keys, newest first', load: async () => (await loadKeys()).list },
      create: { summary: 'Create an API key', load: async () => (await loadKeys()).create },
      revoke: {
        summary: 'Revoke an API key',
        load: async () => (await loadKeys()).revoke,
        aliases: ['delete'],
      },
    },
  },
  env: {
    section: 'setup',
    summary: 'Print the variables that connect a program to the emulator',
    load: async () => (await import('./commands/env.ts')).command,
  },
  config: {
    section: 'setup',
    summary: 'Show every setting and its source',
    load: async () => (await import('./commands/config.ts')).command,
  },
  gaps: {
    section: 'setup',
    summary: 'List the open questions of the service description and how svc resolves them',
    load: async () => (await import('./commands/gaps.ts')).command,
  },
  doctor: {
    section: 'setup',
    summary: 'Check the installation, the emulator and the endpoints',
    load: async () => (await import('./commands/doctor.ts')).command,
  },
  completion: {
    section: 'setup',
    summary: 'Print the completion script for a shell',
    load: async () => (await import('./commands/completion.ts')).command,
  },
};
