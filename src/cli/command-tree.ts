/** Every command, with the line that the help shows, and where its file is. */
import type { CommandLoader } from './command.ts';

export interface CommandEntry {
  readonly summary: string;
  readonly load: CommandLoader;
}
export interface CommandGroup {
  readonly summary: string;
  readonly subcommands: Readonly<Record<string, CommandEntry | CommandGroup>>;
}

export const commandTree: Readonly<Record<string, CommandEntry | CommandGroup>> = {
  emulator: {
    summary: 'Start, stop and look at the emulator of this folder',
    subcommands: {
      start: { summary: 'Boot the whole sandbox', load: () => import('./commands/emulator/start.ts') },
      status: { summary: 'Show what runs here', load: () => import('./commands/emulator/status.ts') },
      exec: {
        summary: 'Run a command beside an emulator of its own',
        load: () => import('./commands/emulator/exec.ts'),
      },
      wait: { summary: 'Wait until it answers', load: () => import('./commands/emulator/wait.ts') },
      stop: { summary: 'Stop it', load: () => import('./commands/emulator/stop.ts') },
      reset: {
        summary: 'Go back to the state after boot',
        load: () => import('./commands/emulator/reset.ts'),
      },
      restore: {
        summary: 'Write the database file again after it was removed',
        load: () => import('./commands/emulator/restore.ts'),
      },
      snapshot: {
        summary: 'Save everything into one file, or go on from one',
        subcommands: {
          save: {
            summary: 'Write everything into one file',
            load: () => import('./commands/emulator/snapshot/save.ts'),
          },
          load: {
            summary: 'Replace everything by a snapshot',
            load: () => import('./commands/emulator/snapshot/load.ts'),
          },
        },
      },
    },
  },
  trigger: {
    summary: 'Create an event, from a fixture or from data',
    load: () => import('./commands/trigger.ts'),
  },
  listen: {
    summary: 'Forward deliveries to a local receiver, for as long as it runs',
    load: () => import('./commands/listen.ts'),
  },
  deliveries: {
    summary: 'See what was sent to endpoints, and send it again',
    subcommands: {
      list: { summary: 'List deliveries, newest first', load: () => import('./commands/deliveries/list.ts') },
      get: {
        summary: 'Show everything about one delivery',
        load: () => import('./commands/deliveries/get.ts'),
      },
      tail: {
        summary: 'Follow attempts as they happen',
        load: () => import('./commands/deliveries/tail.ts'),
      },
      replay: { summary: 'Send deliveries again', load: () => import('./commands/deliveries/replay.ts') },
      wait: {
        summary: 'Wait until deliveries have settled',
        load: () => import('./commands/deliveries/wait.ts'),
      },
    },
  },
  clock: {
    summary: 'Command the clock that decides when retries are due',
    subcommands: {
      show: { summary: 'Show what time it is there', load: () => import('./commands/clock/show.ts') },
      speed: { summary: 'Let it run faster or slower', load: () => import('./commands/clock/speed.ts') },
      freeze: { summary: 'Stop it', load: () => import('./commands/clock/freeze.ts') },
      resume: { summary: 'Let a stopped clock go on', load: () => import('./commands/clock/resume.ts') },
      advance: {
        summary: 'Move it forward, sending all that falls due',
        load: () => import('./commands/clock/advance.ts'),
      },
      next: { summary: 'Move it to the next due attempt', load: () => import('./commands/clock/next.ts') },
      settle: {
        summary: 'Move it until no delivery is pending',
        load: () => import('./commands/clock/settle.ts'),
      },
    },
  },
  events: {
    summary: 'List, read and create events',
    subcommands: {
      list: { summary: 'List events, newest first', load: () => import('./commands/events/list.ts') },
      get: { summary: 'Show an event', load: () => import('./commands/events/get.ts') },
      create: { summary: 'Create an event', load: () => import('./commands/events/create.ts') },
    },
  },
  webhooks: {
    summary: 'Manage the endpoints that receive deliveries',
    subcommands: {
      list: { summary: 'List endpoints, newest first', load: () => import('./commands/webhooks/list.ts') },
      get: { summary: 'Show an endpoint', load: () => import('./commands/webhooks/get.ts') },
      create: { summary: 'Register an endpoint', load: () => import('./commands/webhooks/create.ts') },
      update: { summary: 'Change an endpoint', load: () => import('./commands/webhooks/update.ts') },
      delete: { summary: 'Delete an endpoint', load: () => import('./commands/webhooks/delete.ts') },
      'rotate-secret': {
        summary: 'Give an endpoint a new secret',
        load: () => import('./commands/webhooks/rotate-secret.ts'),
      },
    },
  },
  workspaces: {
    summary: 'List, read and create workspaces',
    subcommands: {
      list: { summary: 'List workspaces, newest first', load: () => import('./commands/workspaces/list.ts') },
      get: { summary: 'Show a workspace', load: () => import('./commands/workspaces/get.ts') },
      create: { summary: 'Create a workspace', load: () => import('./commands/workspaces/create.ts') },
    },
  },
  keys: {
    summary: 'Manage API keys',
    subcommands: {
      list: { summary: 'List API keys, newest first', load: () => import('./commands/keys/list.ts') },
      create: { summary: 'Create an API key', load: () => import('./commands/keys/create.ts') },
      revoke: { summary: 'Revoke an API key', load: () => import('./commands/keys/revoke.ts') },
    },
  },
  logs: {
    summary: 'See the requests made to the API',
    subcommands: {
      list: { summary: 'List requests, newest first', load: () => import('./commands/logs/list.ts') },
      tail: { summary: 'Follow requests as they happen', load: () => import('./commands/logs/tail.ts') },
    },
  },
  faults: {
    summary: 'Let requests and deliveries go wrong on purpose',
    subcommands: {
      add: { summary: 'Order a fault', load: () => import('./commands/faults/add.ts') },
      list: {
        summary: 'List faults and how often each has fired',
        load: () => import('./commands/faults/list.ts'),
      },
      clear: { summary: 'Take faults back', load: () => import('./commands/faults/clear.ts') },
    },
  },
  fixtures: {
    summary: 'See sample events and scripts, run a script, check your own',
    subcommands: {
      list: { summary: 'List sample events and scripts', load: () => import('./commands/fixtures/list.ts') },
      show: { summary: 'Show one', load: () => import('./commands/fixtures/show.ts') },
      run: { summary: 'Run a script, step by step', load: () => import('./commands/fixtures/run.ts') },
      types: {
        summary: 'Write TypeScript types of the event types and their payloads',
        load: () => import('./commands/fixtures/types.ts'),
      },
      validate: {
        summary: 'Say all that is wrong with fixtures',
        load: () => import('./commands/fixtures/validate.ts'),
      },
    },
  },
  verify: {
    summary: 'Check the signature of a delivery and say what is wrong',
    load: () => import('./commands/verify.ts'),
  },
  sign: { summary: 'Make the signature headers for a payload', load: () => import('./commands/sign.ts') },
  receiver: {
    summary: 'Check your receiver, or begin with one that is right',
    subcommands: {
      check: {
        summary: 'Hold a receiver to the receiver rules',
        load: () => import('./commands/receiver/check.ts'),
      },
      example: {
        summary: 'Print a receiver that is right',
        load: () => import('./commands/receiver/example.ts'),
      },
    },
  },
  env: {
    summary: 'Print the variables that point programs to the emulator',
    load: () => import('./commands/env.ts'),
  },
  open: { summary: 'Open the dashboard in the browser', load: () => import('./commands/open.ts') },
  completion: {
    summary: 'Print a script that completes svc in a shell',
    load: () => import('./commands/completion.ts'),
  },
  gaps: {
    summary: 'Show what the service description leaves open, and the answers',
    load: () => import('./commands/gaps.ts'),
  },
  doctor: {
    summary: 'Check the set-up, down to the receivers, and say what to do',
    load: () => import('./commands/doctor.ts'),
  },
  config: {
    summary: 'Show every setting and where it came from',
    load: () => import('./commands/config.ts'),
  },
};
