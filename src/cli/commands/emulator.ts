/** `svc emulator status`, `stop`, `wait`, `reset` and `snapshot`. `start` and `exec` have files of their own. */
import { resolve } from 'node:path';
import { abortAfter, withAnySignal } from '../../abort-signals.ts';
import { pollUntil } from '../../client/poll-until.ts';
import type { ControlPlane } from '../../contract/control-plane.ts';
import type { ClockState, EmulatorStatus } from '../../contract/emulator-schemas.ts';
import { formatDuration } from '../../domain/duration.ts';
import { formatCount, formatDeliveryCount } from '../../domain/message-parts.ts';
import { formatHint, SvcError } from '../../errors.ts';
import type { CommandDefinition } from '../command.ts';
import type { Context } from '../context.ts';
import { DEFAULT_WAIT_MS } from '../delivery-wait.ts';
import { renderDeliveryJUnit } from '../exec/delivery-junit.ts';
import { collectDeliveryOutcome } from '../exec/delivery-outcome.ts';
import { assertFileWritable, writeText } from '../file-access.ts';
import { JUNIT_FILE_HINT } from '../junit.ts';
import { parseDurationMs } from '../option-parsers.ts';
import { confirm, yesOption } from '../prompt.ts';
import { describeDatabase } from '../ready-line.ts';
import { describeClock } from '../render/describe-clock.ts';
import { formatSize, formatTime } from '../render/format.ts';
import { renderFields } from '../render/table.ts';
import { findHint, printHint } from '../report-error.ts';

const STOP_TIMEOUT_MS = 30_000;

/** Exit code 3 if no emulator is running. */
export const emulatorStatus: CommandDefinition<object> = {
  examples: [
    ['Show the emulator for this folder', 'emulator status'],
    ['Read its address and API key in a script', 'emulator status --json'],
  ],
  async run(_options, context) {
    const control = await context.connect();
    await printStatus(await control.getStatus({}), control, context);
  },
};

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
      Workspace: status.workspace_id,
      'API key': status.api_key,
      Endpoint: status.webhook_id ?? null,
      Secret: status.webhook_secret ?? null,
      Database: describeDatabase(status),
      Retention: describeLimits(status.retention),
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

function describeLimits({ days, requests, megabytes }: EmulatorStatus['retention']): string {
  const limits = [
    ...(days === null ? [] : [formatCount(days, 'day')]),
    ...(requests === null ? [] : [formatCount(requests, 'logged request')]),
    ...(megabytes === null ? [] : [`${megabytes} MB`]),
  ];
  return limits.length === 0 ? 'no limits' : `${limits.join(', ')}; pending deliveries are always kept`;
}

interface StopOptions {
  readonly junit?: string;
}

/** Returns when the emulator no longer responds: the folder and the port are then free. */
export const emulatorStop: CommandDefinition<StopOptions> = {
  configure: (command) =>
    command.option('--junit <file>', 'File to write the deliveries to first, as test cases in JUnit XML'),
  examples: [
    ['Stop the emulator for this folder', 'emulator stop'],
    ['Stop an emulator at another address', 'emulator stop --url http://127.0.0.1:4888'],
    ['Keep a report for CI', 'emulator stop --junit reports/deliveries.xml'],
  ],
  async run({ junit }, context) {
    const reportPath = junit === undefined ? null : resolve(context.cwd, junit);
    if (reportPath !== null) assertFileWritable(reportPath, JUNIT_FILE_HINT);
    const { control, status } = await connectToStop(context);
    const { pid, url } = status;
    if (reportPath !== null) {
      const { deliveries } = await collectDeliveryOutcome(control, context);
      await writeText(reportPath, renderDeliveryJUnit(deliveries, false), JUNIT_FILE_HINT);
    }
    await control.stop({});
    const hasStopped = await pollUntil(
      async () => {
        try {
          return (await control.getStatus({})).pid !== pid;
        } catch (error) {
          if (isNoEmulatorError(error)) return true;
          throw error;
        }
      },
      Boolean,
      { timeoutMs: STOP_TIMEOUT_MS, signal: context.signal },
    );
    if (!hasStopped) {
      throw new SvcError(
        'timeout',
        `The emulator at ${url} did not stop within ${formatDuration(STOP_TIMEOUT_MS)}.`,
        { hint: { text: 'Terminate its process', command: `kill ${pid}` } },
      );
    }
    context.print({ stopped: true, pid, url }, () => `Stopped the emulator (${url}).`);
  },
};

/** @throws SvcError `no_emulator` with a hint that does not suggest to start one, if it can only suggest that */
async function connectToStop(context: Context) {
  try {
    const control = await context.connect();
    return { control, status: await control.getStatus({}) };
  } catch (error) {
    if (!isNoEmulatorError(error) || findHint(error)?.command !== 'svc emulator start') throw error;
    const hint = { text: 'Stop an emulator at another address', command: 'svc emulator stop --url URL' };
    throw new SvcError('no_emulator', error.message, { hint, cause: error });
  }
}

function isNoEmulatorError(error: unknown): error is SvcError {
  return error instanceof SvcError && error.code === 'no_emulator';
}

interface WaitOptions {
  /** Milliseconds. */
  readonly timeout?: number;
}

/** Returns when the emulator responds. It does not have to be started yet. */
export const emulatorWait: CommandDefinition<WaitOptions> = {
  configure: (command) =>
    command.optionWithDefault(
      '--timeout <duration>',
      'Give up after this time, with exit code 5',
      formatDuration(DEFAULT_WAIT_MS),
      parseDurationMs,
    ),
  examples: [
    ['Wait for an emulator that another process starts', 'emulator wait'],
    ['Give up after five seconds', 'emulator wait --timeout 5s'],
    ['Wait for an emulator in another container', 'emulator wait --url http://sandbox:4777'],
  ],
  async run({ timeout: timeoutMs = DEFAULT_WAIT_MS }, context) {
    let lastError: SvcError | null = null;
    const poll = (deadline: AbortSignal) =>
      pollUntil(
        async () => {
          try {
            const control = await context.connect(deadline);
            return { control, status: await control.getStatus({}) };
          } catch (error) {
            if (isNoEmulatorError(error)) lastError = error;
            // The deadline also aborts a request that has no response yet. An interruption does too, but is an error.
            else if (!deadline.aborted || context.signal.aborted) throw error;
            return null;
          }
        },
        (running) => running !== null,
        { timeoutMs, signal: context.signal },
      );
    const running = await withAnySignal([context.signal, abortAfter(timeoutMs)], poll);
    if (running === null) throw createNoResponseError(timeoutMs, lastError);
    await printStatus(running.status, running.control, context);
  },
};

/** @param lastError null if no request failed: the last one got no response in time */
function createNoResponseError(timeoutMs: number, lastError: SvcError | null): SvcError {
  const message = `No emulator responded within ${formatDuration(timeoutMs)}`;
  if (lastError === null) {
    return new SvcError('timeout', `${message}.`, {
      hint: 'Check that --url or SVC_CONTROL_URL is the address of an emulator, or increase --timeout.',
    });
  }
  return new SvcError('timeout', `${message}. ${lastError.message}`, {
    hint: findHint(lastError),
    cause: lastError,
  });
}

interface ConfirmationOptions {
  readonly yes?: true;
}

export const emulatorReset: CommandDefinition<ConfirmationOptions & { readonly all?: true }> = {
  configure: (command) =>
    command
      .option('--all', 'Remove all data, including the initial state')
      .option(...yesOption('Reset'))
      .addHelpText('after', RESET_NOTE),
  examples: [
    ['Reset the emulator', 'emulator reset'],
    ['Begin with an empty state', 'emulator reset --all'],
    ['Reset it in a script', 'emulator reset --yes --json'],
  ],
  async run({ all = false, yes }, context) {
    const control = await context.connect();
    const question = all
      ? 'Remove all data of the emulator?'
      : 'Reset the emulator? Everything since startup, or since the last snapshot load, is deleted.';
    await confirm(context, question, yes);
    const status = await control.reset({ all });
    const { kept_deliveries: kept, deliveries } = status;
    const { pending } = deliveries;
    context.print(status, () =>
      kept === 0
        ? 'Reset the emulator. It has no deliveries.'
        : `Reset the emulator. It kept ${formatDeliveryCount(kept)} of its initial state, of which ${pending} ${pending === 1 ? 'is' : 'are'} pending.`,
    );
    if (kept > 0 && !all)
      printHint({ text: 'Begin with an empty state', command: 'svc emulator reset --all' }, context.io);
  },
};

const RESET_NOTE = `
The initial state is the state after startup, or after the last snapshot load. With --all, only the default
workspace, its API key and the endpoint of --forward-to remain, with the same IDs and secrets, and the data of --seed.`;

interface SnapshotArguments {
  readonly file: string;
}

export const snapshotSave: CommandDefinition<SnapshotArguments> = {
  configure: (command) =>
    command.argument(
      '<file>',
      'File to write, on the machine that runs the emulator; an existing snapshot is replaced',
    ),
  examples: [['Save all state', 'emulator snapshot save state.svc']],
  async run({ file }, context) {
    const control = await context.connect();
    const saved = await control.saveSnapshot({ path: resolve(context.cwd, file) });
    context.print(saved, () => `Saved all state to ${saved.path} (${formatSize(saved.size_bytes)}).`);
  },
};

export const snapshotLoad: CommandDefinition<SnapshotArguments & ConfirmationOptions> = {
  configure: (command) =>
    command
      .argument('<file>', 'Snapshot to load, on the machine that runs the emulator')
      .option(...yesOption('Replace the state')),
  examples: [
    ['Return to a saved state', 'emulator snapshot load state.svc'],
    ['Load a snapshot in a script', 'emulator snapshot load state.svc --yes --json'],
  ],
  async run({ file, yes }, context) {
    const control = await context.connect();
    const path = resolve(context.cwd, file);
    if (!yes) await control.loadSnapshot({ path, dry_run: true });
    await confirm(context, `Replace all state with the snapshot ${file}?`, yes);
    const status = await control.loadSnapshot({ path });
    context.print(status, () =>
      renderFields(
        {
          Loaded: file,
          Workspace: status.workspace_id,
          'API key': status.api_key,
          Endpoint: status.webhook_id ?? null,
          Deliveries: `${status.deliveries.pending} pending`,
        },
        context.io,
      ),
    );
  },
};
