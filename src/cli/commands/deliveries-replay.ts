/** `svc deliveries replay`: sends one delivery, several or all failed ones again, and can wait for the responses. */

import { Option } from 'commander';
import { deliveryStatuses } from '../../domain/delivery.ts';
import { formatDuration } from '../../domain/duration.ts';
import { ExitCode, SvcError } from '../../domain/errors.ts';
import { indentJson } from '../../domain/json-text.ts';
import { formatDeliveryCount } from '../../domain/message-parts.ts';
import { type ControlPlane, listAll } from '../../operations/control-plane.ts';
import {
  DEFAULT_REPLAY_RATE,
  fetchDeliveries,
  getReplayStatus,
  type ReplayChanges,
  type ReplayOutcomes,
  type ReplayRefusal,
  replayDeliveries,
} from '../../operations/replay-deliveries.ts';
import type { Delivery } from '../../resources/delivery.ts';
import { deliveryChoices } from '../choices/resource-choices.ts';
import { ChosenArgument, type CommandDefinition } from '../command.ts';
import type { Context } from '../context.ts';
import {
  DEFAULT_WAIT_MS,
  explainWait,
  KEEP_WAITING_OPTION,
  toCommandWait,
  waitForDeliveries,
} from '../delivery-wait.ts';
import { readText } from '../file-access.ts';
import { createDependentOptionError, parseDurationMs, parseRate, parseTimeOrAge } from '../option-parsers.ts';
import { renderProgressBar, withProgress } from '../progress.ts';
import { askChoice, confirm, yesOption } from '../prompt.ts';
import { deliveryColumns } from '../render/deliveries.ts';
import { renderTable } from '../render/table.ts';
import { fetchScheduleTimes } from '../schedule-time.ts';
import { editJson } from '../terminal-program.ts';

interface Options {
  readonly ids: readonly string[];
  readonly failed?: true;
  readonly since?: string;
  readonly to?: string;
  readonly data?: string;
  readonly edit?: true;
  readonly newId?: true;
  /** Per second. */
  readonly rate?: number;
  /** Milliseconds; true without a value. */
  readonly wait?: number | true;
  readonly keepWaiting?: true;
  readonly yes?: true;
}

export const command: CommandDefinition<Options> = {
  configure: (command) =>
    command
      .addArgument(new ChosenArgument('[ids...]', 'Delivery IDs (del_…)', [deliveryChoices]))
      .option('--failed', 'Replay every failed delivery')
      .option(
        '--since <when>',
        'With --failed: only deliveries created since this time, such as 1h',
        parseTimeOrAge,
      )
      .option('--to <url>', 'Send to this URL, as a new delivery')
      .addOption(
        new Option(
          '--data <json>',
          'Send this body, as a new delivery: JSON, @file, or - for standard input',
        ).conflicts('edit'),
      )
      .option('--edit', 'Edit the body in $VISUAL or $EDITOR and send it as a new delivery')
      .option('--new-id', 'Create a new delivery with its own ID instead of another attempt')
      .optionWithDefault(
        '--rate <n/s>',
        'Maximum number of replays per second',
        `${DEFAULT_REPLAY_RATE}/s`,
        parseRate,
      )
      .optionWithDefault(
        '--wait [duration]',
        'Wait up to this long for every response; exit with code 1 if a replay fails',
        formatDuration(DEFAULT_WAIT_MS),
        parseDurationMs,
      )
      .option(...KEEP_WAITING_OPTION)
      .option(...yesOption('Replay all failed deliveries')),
  examples: [
    ['Send a delivery again', 'deliveries replay del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D'],
    [
      'Replay everything that failed in the last hour, and wait for the responses',
      'deliveries replay --failed --since 1h --rate 20/s --wait=1m',
    ],
    [
      'Send the same body to another receiver',
      'deliveries replay del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --to http://localhost:4000/hooks',
    ],
    ['Send another body', 'deliveries replay del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --data @changed.json'],
  ],
  async run(options, context) {
    checkOptions(options, context);
    const wait = toCommandWait(options);
    const data = options.data === undefined ? undefined : await readText(options.data, context);
    const ids = await chooseDeliveries(options, context);
    const control = await context.connect();
    const body = options.edit ? await editBody(ids, control, context) : data;
    if (body === null) {
      context.io.note('The body is unchanged, so nothing was sent.');
      return ExitCode.success;
    }
    const changes: ReplayChanges = {
      ...(options.newId ? { new_id: true } : {}),
      ...(options.to === undefined ? {} : { url: options.to }),
      ...(body === undefined ? {} : { body }),
    };
    const { rate = DEFAULT_REPLAY_RATE } = options;
    const { replays, refused } = await replayWithProgress(ids, changes, control, rate, context);
    if (isSingle(options) && refused[0]) throw refused[0].error;
    const replayIds = replays.map(({ id }) => id);
    const report =
      wait === undefined || replayIds.length === 0
        ? null
        : await waitForDeliveries(control, { ids: replayIds, retries: false, ...wait }, context);
    const deliveries = report === null ? replays : await fetchDeliveries(replayIds, control, context.signal);
    await printReplays(deliveries, refused, options, control, context);
    const isSuccess = report === null || explainWait(report, context);
    return isSuccess && refused.length === 0 ? ExitCode.success : ExitCode.failure;
  },
};

function checkOptions(options: Options, { io }: Context): void {
  const { ids, failed, since, data, edit } = options;
  if (failed && ids.length > 0) {
    throw new SvcError('usage', 'Delivery IDs and --failed cannot be used together.', {
      hint: 'Remove one of them.',
    });
  }
  if (since !== undefined && !failed) {
    throw createDependentOptionError('--since', '--failed');
  }
  if (data === undefined && !edit) return;
  if (!isSingle(options)) {
    throw new SvcError('usage', `${edit ? '--edit' : '--data'} can only be used with one delivery.`, {
      hint: 'Pass one delivery ID, without --failed.',
    });
  }
  if (edit && !io.interactive) {
    throw new SvcError('usage', '--edit needs a terminal.', {
      hint: 'Pass the body with --data: JSON, @file, or - for standard input.',
    });
  }
}

/** Whether one delivery is replayed. Without IDs, the command asks for one. */
function isSingle({ ids, failed }: Options): boolean {
  return !failed && ids.length <= 1;
}

async function chooseDeliveries(
  { ids, failed, since, yes }: Options,
  context: Context,
): Promise<readonly string[]> {
  if (failed) {
    const control = await context.connect();
    const deliveries = await listAll((page) => control.listDeliveries({ ...page, status: 'failed', since }));
    if (deliveries.length > 1) await confirm(context, `Replay ${deliveries.length} deliveries?`, yes);
    return deliveries.map(({ id }) => id);
  }
  // Refuses an ID that does not exist before the first delivery is sent.
  if (ids.length > 1) await fetchDeliveries(ids, await context.connect(), context.signal);
  return ids.length > 0 ? ids : [await askChoice(context, 'ids', deliveryChoices)];
}

/**
 * The body of the last attempt after the user edited it; null if it is unchanged.
 * @param ids exactly one, because `--edit` can only be used with one delivery
 */
async function editBody(
  [id = '']: readonly string[],
  control: ControlPlane,
  context: Context,
): Promise<string | null> {
  const lastAttempt = (await control.getDelivery({ id })).attempts.at(-1);
  if (lastAttempt === undefined) {
    throw new SvcError('conflict', `${id} has not been sent yet, so there is no body to edit.`, {
      hint: 'Pass a body with --data.',
    });
  }
  return editJson(indentJson(lastAttempt.request.body), context);
}

async function replayWithProgress(
  ids: readonly string[],
  changes: ReplayChanges,
  control: ControlPlane,
  perSecond: number,
  context: Context,
): Promise<ReplayOutcomes> {
  let outcomeCount = 0;
  return withProgress(
    context,
    async () => `Replaying ${renderProgressBar(outcomeCount, ids.length)}`,
    replayDeliveries(ids, changes, control, {
      perSecond,
      signal: context.signal,
      onOutcome: () => ++outcomeCount,
    }),
  );
}

/** In JSON: the delivery as a resource if only one was asked for, otherwise a list. */
async function printReplays(
  deliveries: readonly Delivery[],
  refused: readonly ReplayRefusal[],
  options: Options,
  control: ControlPlane,
  context: Context,
): Promise<void> {
  const scheduleTimeOf = await fetchScheduleTimes(deliveries, control, context);
  const list = {
    data: deliveries,
    has_more: false,
    end_cursor: deliveries.at(-1)?.id ?? null,
    refused: refused.map(({ id, error: { code, message } }) => ({ id, code, message })),
  };
  if (deliveries.length > 0 || context.json) {
    context.print(isSingle(options) ? deliveries[0] : list, () =>
      renderTable(deliveryColumns(context, scheduleTimeOf), deliveries, context.io),
    );
  }
  if (isSingle(options)) return;
  for (const { id, error } of refused) context.io.note(`${id} was not replayed: ${error.message}`);
  if (deliveries.length > 0) context.io.note(summarize(deliveries));
  else if (refused.length === 0) context.io.note('No deliveries to replay.');
}

function summarize(deliveries: readonly Delivery[]): string {
  const counts = deliveryStatuses.flatMap((status) => {
    const count = deliveries.filter((delivery) => getReplayStatus(delivery) === status).length;
    return count === 0 ? [] : [`${count} ${status}`];
  });
  return `Replayed ${formatDeliveryCount(deliveries.length)}: ${counts.join(', ')}.`;
}
