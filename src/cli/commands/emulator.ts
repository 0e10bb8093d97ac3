/** `svc emulator status`, `stop`, `wait`, `reset` and `snapshot`. `start` and `exec` have files of their own. */
import { resolve } from 'node:path';
import { hasRunFile } from '../../config/run-file.ts';
import { formatDuration } from '../../domain/duration.ts';
import { formatHint, SvcError } from '../../domain/errors.ts';
import { formatDeliveryCount } from '../../domain/message-parts.ts';
import type { ControlPlane } from '../../operations/control-plane.ts';
import type { ClockState, EmulatorStatus } from '../../operations/emulator-schemas.ts';
import { abortAfter, withAnySignal } from '../../platform/abort-signals.ts';
import type { CommandGroup } from '../command.ts';
import type { Context } from '../context.ts';
import { defineCommand } from '../define-command.ts';
import { DEFAULT_WAIT_MS, timeoutRow } from '../delivery-wait.ts';
import { operation } from '../operation-command.ts';
import { pollUntil } from '../poll-until.ts';
import { describeDatabase } from '../ready-line.ts';
import { describeClock, formatSize, formatTime } from '../render/format.ts';
import { renderFields } from '../render/table.ts';
import { findHint } from '../report-error.ts';

const STOP_TIMEOUT_MS = 30_000;

/** Exit code 3 if no emulator is running. */
const emulatorStatus = defineCommand({
  examples: [['Show the emulator for this folder', 'emulator status']],
  async run(_options, context) {
    const control = await context.connect();
    await printStatus(await control.getStatus({}), control, context);
  },
});

async function printStatus(
  status: EmulatorStatus,
  control: Pick<ControlPlane, 'getClock'>,
  context: Context,
): Promise<void> {
  // JSON has the clock in `svc clock show --json`.
  const clock = context.json ? null : await control.getClock({ workspace_id: status.workspace_id });
  context.print(status, () => renderStatus(status, clock, context));
}

function renderStatus(
  status: EmulatorStatus,
  clock: ClockState | null,
  { io, now }: Pick<Context, 'io' | 'now'>,
): string {
  return renderFields(
    {
      'Base URL': status.base_url,
      'Control URL': status.control_url,
      Environment: `${status.environment}, ${status.profile}`,
      Sender: status.sender === 'svc' ? null : status.sender,
      Workspace: status.workspace_id,
      'API key': status.api_key,
      Endpoint: status.webhook_id ?? null,
      Secret: status.webhook_secret ?? null,
      Database: describeDatabase(status),
      'Database problem': status.storage_problem?.message ?? null,
      'What to do': status.storage_problem ? formatHint(status.storage_problem.hint) : null,
      Process: `${status.pid}, version ${status.version}`,
      Started: formatTime(status.started_at, now()),
      Deliveries: `${status.deliveries.pending} pending, ${status.deliveries.in_flight} in flight`,
      Clock: clock && describeClock(clock),
    },
    io,
  );
}

/**
 * Returns when the emulator no longer responds and its folder has no run file of it: port, folder and database are then free.
 * The process can continue, as that of the library or `svc mcp`.
 */
const emulatorStop = defineCommand({
  examples: [
    ['Stop the emulator for this folder', 'emulator stop'],
    ['Stop an emulator at another address', 'emulator stop --url http://127.0.0.1:4888'],
  ],
  async run(_options, context) {
    const control = await context.connect();
    const { pid, url, project_folder: folder } = await control.getStatus({});
    await control.stop({});
    async function hasStopped(): Promise<boolean> {
      try {
        if ((await control.getStatus({})).pid === pid) return false;
      } catch (error) {
        if (!isNoEmulatorError(error)) throw error;
      }
      return !hasRunFile(folder, pid);
    }
    const limits = { timeoutMs: STOP_TIMEOUT_MS, signal: context.signal };
    if (!(await pollUntil(hasStopped, Boolean, limits))) {
      throw new SvcError(
        'timeout',
        `The emulator at ${url} did not stop within ${formatDuration(STOP_TIMEOUT_MS)}.`,
        { hint: { text: 'Terminate its process', command: `kill ${pid}` } },
      );
    }
    context.print({ stopped: true, pid, url }, () => `Stopped the emulator (${url}).`);
  },
});

function isNoEmulatorError(error: unknown): error is SvcError {
  return error instanceof SvcError && error.code === 'no_emulator';
}

/** Returns when the emulator responds. It does not have to be started yet. */
const emulatorWait = defineCommand({
  options: { timeout: timeoutRow },
  examples: [
    ['Wait for an emulator that another process starts', 'emulator wait'],
    ['Give up after five seconds', 'emulator wait --timeout 5s'],
    ['Wait for an emulator in another container', 'emulator wait --url http://sandbox:4777'],
  ],
  async run({ timeout: timeoutMs = DEFAULT_WAIT_MS }, context) {
    let lastError: SvcError | null = null;
    const status = await withAnySignal([context.signal, abortAfter(timeoutMs)], (deadline) => {
      async function load(): Promise<EmulatorStatus | null> {
        try {
          return await (await context.connect(deadline)).getStatus({});
        } catch (error) {
          if (isNoEmulatorError(error)) lastError = error;
          // The deadline also aborts a request that has no response yet. An interruption does too, but is an error.
          else if (!deadline.aborted || context.signal.aborted) throw error;
          return null;
        }
      }
      return pollUntil(load, (found) => found !== null, { timeoutMs, signal: context.signal });
    });
    if (status === null) {
      const error = lastError as SvcError | null;
      const hint =
        'Check that --url or SVC_CONTROL_URL is the address of an emulator, or increase --timeout.';
      const message = `No emulator responded within ${formatDuration(timeoutMs)}.`;
      throw new SvcError('timeout', error === null ? message : `${message} ${error.message}`, {
        hint: error === null ? hint : findHint(error),
      });
    }
    await printStatus(status, await context.connect(), context);
  },
});

const RESET_NOTE = `
The initial state is the state after startup, or after the last snapshot load. With --all, only the default
workspace, its API key and the endpoint of --forward-to remain, with the same IDs and secrets, and the data of --seed.`;

/** A path on the machine that runs the emulator. */
const snapshotPath = ({ path }: { readonly path: string }, { cwd }: Pick<Context, 'cwd'>) => ({
  path: resolve(cwd, path),
});

export const command: CommandGroup = {
  commands: {
    start: {
      summary: 'Start the emulator',
      load: () => import('./emulator-start.ts'),
    },
    status: { summary: 'Show the running emulator', ...emulatorStatus },
    exec: {
      summary: 'Run a command with a temporary emulator',
      load: () => import('./emulator-exec.ts'),
    },
    wait: { summary: 'Wait until the emulator is ready', ...emulatorWait },
    stop: { summary: 'Stop the emulator', ...emulatorStop },
    reset: operation('reset', {
      summary: 'Reset the emulator to its initial state',
      options: { all: { option: '--all', summary: 'Remove all data, including the initial state' } },
      confirm: {
        action: 'Reset',
        question: ({ all }) =>
          all
            ? 'Remove all data of the emulator?'
            : 'Reset the emulator? Everything since startup, or since the last snapshot load, is deleted.',
      },
      notes: RESET_NOTE,
      render: ({ kept_deliveries: kept, deliveries: { pending } }) =>
        kept === 0
          ? 'Reset the emulator. It has no deliveries.'
          : `Reset the emulator. It kept ${formatDeliveryCount(kept)} of its initial state, of which ${pending} ${pending === 1 ? 'is' : 'are'} pending.`,
      next: ({ kept_deliveries: kept }, { all }) =>
        kept === 0 || all ? null : { text: 'Begin with an empty state', command: 'svc emulator reset --all' },
      examples: [
        ['Reset the emulator', 'emulator reset'],
        ['Begin with an empty state', 'emulator reset --all'],
      ],
    }),
    snapshot: {
      summary: 'Save or load the state of the emulator',
      commands: {
        save: operation('saveSnapshot', {
          summary: 'Save all state to a file',
          options: {
            path: {
              argument: '<file>',
              summary:
                'File to write, on the machine that runs the emulator; an existing snapshot is replaced',
              parse: String,
            },
          },
          input: snapshotPath,
          render: ({ path, size_bytes: size }) => `Saved all state to ${path} (${formatSize(size)}).`,
          examples: [['Save all state', 'emulator snapshot save state.svc']],
        }),
        load: operation('loadSnapshot', {
          summary: 'Replace all state with a snapshot',
          options: {
            path: {
              argument: '<file>',
              summary: 'Snapshot to load, on the machine that runs the emulator',
              parse: String,
            },
          },
          input: snapshotPath,
          confirm: {
            action: 'Replace the state',
            question: ({ path }) => `Replace all state with the snapshot ${path}?`,
          },
          render: (status, { io }, { path }) =>
            renderFields(
              {
                Loaded: path,
                Workspace: status.workspace_id,
                'API key': status.api_key,
                Endpoint: status.webhook_id ?? null,
                Deliveries: `${status.deliveries.pending} pending`,
              },
              io,
            ),
          examples: [['Return to a saved state', 'emulator snapshot load state.svc']],
        }),
      },
    },
  },
};
