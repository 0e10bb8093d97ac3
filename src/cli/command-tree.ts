/** The commands below the headings of the root help. A group has its commands in its own file. */
import type { Commands, LateCommand } from './command.ts';

const late = (summary: string, load: LateCommand['load']) => ({ summary, load });

export const commandSections: Readonly<Record<string, Commands>> = {
  'Core commands:': {
    emulator: late(
      'Start, stop and inspect the emulator for this folder',
      () => import('./commands/emulator.ts'),
    ),
    trigger: late(
      'Create an event from a fixture or from your own data',
      () => import('./commands/trigger.ts'),
    ),
    listen: late(
      'Receive deliveries, or forward them to a local receiver, while the command runs',
      () => import('./commands/listen.ts'),
    ),
    webhooks: late('Manage the endpoints that receive deliveries', () => import('./commands/webhooks.ts')),
  },
  'Inspect:': {
    explain: late('Explain why a delivery failed, and what to do', () => import('./commands/explain.ts')),
    deliveries: late(
      'Inspect, replay, export and wait for deliveries',
      () => import('./commands/deliveries.ts'),
    ),
    events: late('List, show, create and import events', () => import('./commands/events.ts')),
    logs: late('Inspect the requests made to the API', () => import('./commands/logs.ts')),
    verify: late('Verify the signature of a delivery and explain a failure', async () => ({
      command: (await import('./commands/signature.ts')).verify,
    })),
    open: late('Open the dashboard in the browser', () => import('./commands/open.ts')),
  },
  'Simulate:': {
    clock: late('Control the clock that decides when retries are due', () => import('./commands/clock.ts')),
    faults: late('Inject failures into API requests and deliveries', () => import('./commands/faults.ts')),
    fixtures: late('List, show, import, validate and run fixtures', () => import('./commands/fixtures.ts')),
    receiver: late('Check and fuzz your receiver, or print an example receiver', async () => ({
      command: (await import('./commands/receiver.ts')).receiver,
    })),
    sign: late('Create the signature headers for a payload', async () => ({
      command: (await import('./commands/signature.ts')).sign,
    })),
  },
  'Setup:': {
    agent: late('Show how to connect coding agents to svc', () => import('./commands/agent.ts')),
    mcp: late('Serve coding agents over the Model Context Protocol (MCP)', () => import('./commands/mcp.ts')),
    workspaces: late('List, show and create workspaces', () => import('./commands/workspaces.ts')),
    keys: late('Manage API keys', () => import('./commands/keys.ts')),
    env: late(
      'Print the environment variables that connect a program to the emulator',
      () => import('./commands/env.ts'),
    ),
    config: late('Show every setting and its source', () => import('./commands/config.ts')),
    gaps: late(
      'List the gaps of the service description, or compare the service with them',
      () => import('./commands/gaps.ts'),
    ),
    doctor: late(
      'Check the installation, the emulator and the endpoints',
      () => import('./commands/doctor.ts'),
    ),
    completion: late('Print the completion script for a shell', () => import('./commands/completion.ts')),
  },
};

export const commandTree: Commands = Object.assign({}, ...Object.values(commandSections));
