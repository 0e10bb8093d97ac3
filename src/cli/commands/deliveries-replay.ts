/** `svc deliveries replay`: sends one delivery, several or all failed ones again, and can wait for the responses. */

import { deliveryStatuses } from '../../domain/delivery.ts';
import { ExitCode, SvcError } from '../../domain/errors.ts';
import { indentJson } from '../../domain/json-text.ts';
import { formatDeliveryCount } from '../../domain/message-parts.ts';
import { controlOperations } from '../../operations/control-operations.ts';
import { type ControlPlane, listAll } from '../../operations/control-plane.ts';
import {
  DEFAULT_REPLAY_RATE,
  fetchDeliveries,
  getReplayStatus,
  type ReplayChanges,
  type ReplayOutcomes,
  replayDeliveries,
} from '../../operations/replay-deliveries.ts';
import { pickFields } from '../../resources/define-resource.ts';
import type { Delivery } from '../../resources/delivery.ts';
import { deliveryChoices } from '../choices/resource-choices.ts';
import type { Context } from '../context.ts';
import { defineCommand } from '../define-command.ts';
import { explainWait, toCommandWait, waitForDeliveries, waitRows } from '../delivery-wait.ts';
import { editJson } from '../edit-json.ts';
import { readText } from '../file-access.ts';
import { parseRate, parseTimeOrAge } from '../option-parsers.ts';
import { renderProgressBar, withProgress } from '../progress.ts';
import { askChoice, confirm, yesRow } from '../prompt.ts';
import { deliveryColumns } from '../render/deliveries.ts';
import { renderTable } from '../render/table.ts';
import { fetchScheduleTimes } from '../schedule-time.ts';

export const command = defineCommand({
  options: {
    ids: {
      argument: '[ids...]',
      summary: 'Delivery IDs (del_…)',
      source: deliveryChoices,
      conflicts: ['failed'],
    },
    failed: { option: '--failed', summary: 'Replay every failed delivery' },
    since: {
      option: '--since <when>',
      summary: 'With --failed: only deliveries created since this time, such as 1h',
      parse: parseTimeOrAge,
      needs: 'failed',
    },
    // Not `url`, the key of the global option.
    to: { option: '--to <url>', summary: 'Send to this URL, as a new delivery' },
    data: {
      option: '--data <json>',
      summary: 'Send this body, as a new delivery: JSON, @file, or - for standard input',
      conflicts: ['edit'],
    },
    edit: {
      option: '--edit',
      summary: 'Edit the body in $VISUAL or $EDITOR and send it as a new delivery',
    },
    new_id: {
      option: '--new-id',
      summary: 'Create a new delivery with its own ID instead of another attempt',
    },
    rate: {
      option: '--rate <n/s>',
      summary: 'Maximum number of replays per second',
      parse: parseRate,
      defaultText: `${DEFAULT_REPLAY_RATE}/s`,
    },
    ...waitRows,
    wait: {
      ...waitRows.wait,
      summary: 'Wait up to this long for every response; exit with code 1 if a replay fails',
    },
    yes: yesRow('Replay all failed deliveries'),
  },
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
    const { to: url, data, edit, rate = DEFAULT_REPLAY_RATE } = options;
    // Without IDs, the command asks for one.
    const isSingle = !options.failed && options.ids.length <= 1;
    if (data !== undefined || edit) checkBodyOptions(edit === true, isSingle, context);
    const wait = toCommandWait(options);
    const ownBody = data === undefined ? undefined : await readText(data, context);
    const ids = options.failed
      ? await listFailed(options, context)
      : await chooseDeliveries(options, context);
    const control = await context.connect();
    const body = edit ? await editBody(ids, control, context) : ownBody;
    if (body === null) {
      context.io.note('The body is unchanged, so nothing was sent.');
      return ExitCode.success;
    }
    const changes = pickFields(controlOperations.replayDelivery.input.entries, { ...options, url, body });
    const outcomes = await replayWithProgress(ids, changes, control, rate, context);
    const { replays, refused } = outcomes;
    if (isSingle && refused[0]) throw refused[0].error;
    const replayIds = replays.map(({ id }) => id);
    const report =
      wait === undefined || replayIds.length === 0
        ? null
        : await waitForDeliveries(control, { ids: replayIds, retries: false, ...wait }, context);
    const deliveries = report === null ? replays : await fetchDeliveries(replayIds, control, context.signal);
    const scheduleTimeOf = await fetchScheduleTimes(deliveries, control, context);
    const renderDeliveries = () =>
      renderTable(deliveryColumns(context, scheduleTimeOf), deliveries, context.io);
    if (isSingle) context.print(deliveries[0], renderDeliveries);
    else printReplays({ ...outcomes, replays: deliveries }, renderDeliveries, context);
    const isSuccess = report === null || explainWait(report, context);
    return isSuccess && refused.length === 0 ? ExitCode.success : ExitCode.failure;
  },
});

/** @throws SvcError `usage` for `--data` or `--edit` with several deliveries, and for `--edit` without a terminal */
function checkBodyOptions(isEdited: boolean, isSingle: boolean, { io }: Context): void {
  if (!isSingle) {
    throw new SvcError('usage', `${isEdited ? '--edit' : '--data'} can only be used with one delivery.`, {
      hint: 'Pass one delivery ID.',
    });
  }
  if (isEdited && !io.interactive) {
    throw new SvcError('usage', '--edit needs a terminal.', {
      hint: 'Pass the body with --data: JSON, @file, or - for standard input.',
    });
  }
}

async function listFailed(
  { since, yes }: { readonly since?: string; readonly yes?: true },
  context: Context,
): Promise<readonly string[]> {
  const control = await context.connect();
  const deliveries = await listAll((page) => control.listDeliveries({ ...page, status: 'failed', since }));
  if (deliveries.length > 1) await confirm(context, `Replay ${deliveries.length} deliveries?`, yes);
  return deliveries.map(({ id }) => id);
}

async function chooseDeliveries(
  { ids }: { readonly ids: readonly string[] },
  context: Context,
): Promise<readonly string[]> {
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

function printReplays(
  { replays, refused }: ReplayOutcomes,
  renderDeliveries: () => string,
  context: Context,
): void {
  const list = {
    data: replays,
    has_more: false,
    end_cursor: replays.at(-1)?.id ?? null,
    refused: refused.map(({ id, error: { code, message } }) => ({ id, code, message })),
  };
  if (replays.length > 0 || context.json) context.print(list, renderDeliveries);
  for (const { id, error } of refused) context.io.note(`${id} was not replayed: ${error.message}`);
  if (replays.length > 0) context.io.note(summarize(replays));
  else if (refused.length === 0) context.io.note('No deliveries to replay.');
}

function summarize(deliveries: readonly Delivery[]): string {
  const counts = deliveryStatuses.flatMap((status) => {
    const count = deliveries.filter((delivery) => getReplayStatus(delivery) === status).length;
    return count === 0 ? [] : [`${count} ${status}`];
  });
  return `Replayed ${formatDeliveryCount(deliveries.length)}: ${counts.join(', ')}.`;
}
