/** The commands below the headings of the root help. A group has its commands in its own file. */
import type { AnyCommand, CommandGroup, Commands } from './command.ts';

const late = (summary: string, load: () => Promise<AnyCommand | CommandGroup>) => ({ summary, load });

export const commandSections: Readonly<Record<string, Commands>> = {
  'Core commands:': {
    emulator: late(
      'Start, stop and inspect the emulator for this folder',
      async () => (await import('./commands/emulator.ts')).emulator,
    ),
    trigger: late(
      'Create an event from a fixture or from your own data',
      async () => (await import('./commands/trigger.ts')).command,
    ),
    listen: late(
      'Receive deliveries, or forward them to a local receiver, while the command runs',
      async () => (await import('./commands/listen.ts')).command,
    ),
    webhooks: late(
      'Manage the endpoints that receive deliveries',
      async () => (await import('./commands/webhooks.ts')).webhooks,
    ),
  },
  'Inspect:': {
    explain: late(
      'Explain why a delivery failed, and what to do',
      async () => (await import('./commands/explain.ts')).command,
    ),
    deliveries: late(
      'Inspect, replay, export and wait for deliveries',
      async () => (await import('./commands/deliveries.ts')).deliveries,
    ),
    events: late(
      'List, show, create and import events',
      async () => (await import('./commands/events.ts')).events,
    ),
    logs: late('Inspect the requests made to the API', async () => (await import('./commands/logs.ts')).logs),
    verify: late(
      'Verify the signature of a delivery and explain a failure',
      async () => (await import('./commands/signature.ts')).verify,
    ),
    open: late('Open the dashboard in the browser', async () => (await import('./commands/open.ts')).command),
  },
  'Simulate:': {
    clock: late(
      'Control the clock that decides when retries are due',
      async () => (await import('./commands/clock.ts')).clock,
    ),
    faults: late(
      'Inject failures into API requests and deliveries',
      async () => (await import('./commands/faults.ts')).faults,
    ),
    fixtures: late(
      'List, show, import, validate and run fixtures',
      async () => (await import('./commands/fixtures.ts')).fixtures,
    ),
    receiver: late(
      'Check and fuzz your receiver, or print an example receiver',
      async () => (await import('./commands/receiver.ts')).receiver,
    ),
    sign: late(
      'Create the signature headers for a payload',
      async () => (await import('./commands/signature.ts')).sign,
    ),
  },
  'Setup:': {
    agent: late(
      'Show how to connect coding agents to svc',
      async () => (await import('./commands/agent.ts')).command,
    ),
    mcp: late(
      'Serve coding agents over the Model Context Protocol (MCP)',
      async () => (await import('./commands/mcp.ts')).command,
    ),
    workspaces: late(
      'List, show and create workspaces',
      async () => (await import('./commands/workspaces.ts')).workspaces,
    ),
    keys: late('Manage API keys', async () => (await import('./commands/keys.ts')).keys),
    env: late(
      'Print the environment variables that connect a program to the emulator',
      async () => (await import('./commands/env.ts')).command,
    ),
    config: late(
      'Show every setting and its source',
      async () => (await import('./commands/config.ts')).command,
    ),
    gaps: late(
      'List the gaps of the service description, or compare the service with them',
      async () => (await import('./commands/gaps.ts')).gaps,
    ),
    doctor: late(
      'Check the installation, the emulator and the endpoints',
      async () => (await import('./commands/doctor.ts')).command,
    ),
    completion: late(
      'Print the completion script for a shell',
      async () => (await import('./commands/completion.ts')).command,
    ),
  },
};

export const commandTree: Commands = Object.assign({}, ...Object.values(commandSections));
