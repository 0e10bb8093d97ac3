import type { Command } from 'commander';
import type { Delivery } from '../../../contract/delivery-schemas.ts';
import type { ControlPlane } from '../../../control/control-plane.ts';
import { listAll } from '../../../control/list-all.ts';
import {
  DEFAULT_REPLAY_RATE,
  getReplayStatus,
  type Replay,
  type ReplayChanges,
  type ReplayRefusal,
} from '../../../control/replay.ts';
import { deliveryStatuses } from '../../../domain/delivery.ts';
import { indentJson } from '../../../domain/json.ts';
import { ExitCode, SvcError } from '../../../errors.ts';
import { replayableDeliveryChoices } from '../../choices/resource-choices.ts';
import type { CommandDefinition } from '../../command.ts';
import type { Context } from '../../context.ts';
import { createTimeoutError, DEFAULT_WAIT_MS } from '../../delivery-wait.ts';
import { editJson } from '../../edit-json.ts';
import { parseDurationMs, parseRate, parseSince } from '../../option-parsers.ts';
import { askChoice, confirm } from '../../prompt.ts';
import { readValue } from '../../read-value.ts';
import { deliveryColumns } from '../../render/deliveries.ts';
import { renderTable } from '../../render/table.ts';
import { listUnfinishedReplays, replayWithProgress, waitForReplayAttempts } from '../../replay-progress.ts';
import { fetchScheduleTimes } from '../../schedule-time.ts';

interface Options {
  readonly ids: readonly string[];
  readonly failed?: true;
  readonly since?: string;
  readonly to?: string;
  readonly data?: string;
  readonly edit?: true;
  readonly newId?: true;
  readonly rate?: number;
  readonly wait?: number | true;
  readonly yes?: true;
}

export const command: CommandDefinition<Options> = {
  configure,
  examples: [
    'deliveries replay del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
    'deliveries replay --failed --since 1h --rate 20/s --wait=1m',
    'deliveries replay del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --to http://localhost:4000/hooks',
    'deliveries replay del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --data @changed.json',
  ],
  run,
};

function configure(command: Command): Command {
  return command
    .argument('[ids...]', 'del_… del_…')
    .option('--failed', 'every failed delivery, instead of naming some')
    .option('--since <when>', 'only those created since then: 1h, or a time', parseSince)
    .option('--to <url>', 'send to this address, as a new delivery')
    .option('--data <json>', 'send this body, as a new delivery: JSON, @file, or - for standard input')
    .option('--edit', 'change the body in $VISUAL or $EDITOR first, and send it as a new delivery')
    .option('--new-id', 'make a new delivery with replay_of instead of a new attempt')
    .option(
      '--rate <n/s>',
      `of many, so many a second at most; ${DEFAULT_REPLAY_RATE}/s when left out`,
      parseRate,
    )
    .option(
      '--wait [duration]',
      'until each has been answered, 30s when left out; exit 1 if one failed',
      parseDurationMs,
    )
    .option('--yes', 'replay all that have failed without being asked');
}

async function run(options: Options, context: Context): Promise<ExitCode> {
  checkOptions(options, context);
  const control = await context.connect();
  const ids = await chooseDeliveries(options, control, context);
  const body = await findBody(options, ids, control, context);
  if (body === null) {
    context.io.note('The body was not changed; nothing was sent.');
    return ExitCode.success;
  }
  const changes: ReplayChanges = {
    ...(options.newId ? { new_id: true } : {}),
    ...(options.to === undefined ? {} : { url: options.to }),
    ...(body === undefined ? {} : { body }),
  };
  const { rate = DEFAULT_REPLAY_RATE, wait } = options;
  const timeoutMs = wait === true ? DEFAULT_WAIT_MS : wait;
  const { replays, refused } = await replayWithProgress(ids, changes, control, {
    ...context,
    perSecond: rate,
  });
  // Of a single one there is nothing to go on with.
  if (isOne(options) && refused[0]) throw refused[0].error;
  const latest =
    timeoutMs === undefined
      ? replays
      : await waitForReplayAttempts(replays, control, { ...context, timeoutMs });
  await print(latest, refused, options, control, context);
  return toExitCode(latest, refused, timeoutMs);
}

function checkOptions(options: Options, { io }: Context): void {
  const { ids, failed, since, data, edit } = options;
  if (failed && ids.length > 0) throw new SvcError('usage', 'Pass either ids or --failed.');
  if (since !== undefined && !failed) throw new SvcError('usage', '--since goes with --failed.');
  if (data === undefined && !edit) return;
  if (data !== undefined && edit) throw new SvcError('usage', 'Pass either --data or --edit.');
  if (!isOne(options)) throw new SvcError('usage', 'Another body goes with a single delivery.');
  if (edit && !io.interactive) {
    throw new SvcError('usage', '--edit needs a terminal.', {
      hint: 'Pass the body with --data: JSON, @file, or - for standard input.',
    });
  }
}

function isOne({ ids, failed }: Options): boolean {
  return !failed && ids.length <= 1;
}

async function chooseDeliveries(
  { ids, failed, since, yes }: Options,
  control: ControlPlane,
  context: Context,
): Promise<readonly string[]> {
  if (failed) {
    const filter = { status: 'failed' as const, ...(since === undefined ? {} : { since }) };
    const deliveries = await listAll((page) => control.listDeliveries({ ...page, ...filter }));
    if (deliveries.length > 1) await confirm(context, `Replay ${deliveries.length} deliveries?`, yes);
    return deliveries.map(({ id }) => id);
  }
  return ids.length > 0 ? ids : [await askChoice(context, 'ids', replayableDeliveryChoices)];
}

/** The other body to send; undefined for the same, null when the person left it as it was. */
async function findBody(
  { data, edit }: Options,
  [id = '']: readonly string[],
  control: ControlPlane,
  context: Context,
): Promise<string | null | undefined> {
  if (data !== undefined) return (await readValue(data, context)).toString('utf8');
  if (!edit) return undefined;
  const sent = (await control.getDelivery({ id })).attempts.at(-1);
  if (sent === undefined) {
    throw new SvcError('conflict', `${id} has not been sent yet: there is no body to edit.`, {
      hint: 'Pass one with --data.',
    });
  }
  return editJson(indentJson(sent.request.body), context);
}

/** One delivery named is one thing; anything else is a list. */
async function print(
  replays: readonly Replay[],
  refused: readonly ReplayRefusal[],
  options: Options,
  control: ControlPlane,
  context: Context,
): Promise<void> {
  const deliveries = replays.map(({ delivery }) => delivery);
  const now = await fetchScheduleTimes(deliveries, control, context);
  const list = {
    ...{ data: deliveries, has_more: false, end_cursor: deliveries.at(-1)?.id ?? null },
    refused: refused.map(({ id, error: { code, message } }) => ({ id, code, message })),
  };
  if (deliveries.length > 0 || context.json) {
    context.print(isOne(options) ? deliveries[0] : list, () =>
      renderTable(deliveryColumns(context, now), deliveries, context.io),
    );
  }
  if (isOne(options)) return;
  for (const { id, error } of refused) context.io.note(`${id} was not replayed: ${error.message}`);
  if (deliveries.length > 0) context.io.note(summarize(deliveries));
  else if (refused.length === 0) context.io.note('No deliveries to replay.');
}

function summarize(deliveries: readonly Delivery[]): string {
  const counts = deliveryStatuses
    .map((wanted) => ({
      wanted,
      count: deliveries.filter((each) => getReplayStatus(each) === wanted).length,
    }))
    .filter(({ count }) => count > 0);
  return `Replayed ${deliveries.length}: ${counts.map(({ wanted, count }) => `${count} ${wanted}`).join(', ')}.`;
}

function toExitCode(
  replays: readonly Replay[],
  refused: readonly ReplayRefusal[],
  timeoutMs: number | undefined,
): ExitCode {
  if (timeoutMs !== undefined) {
    const waiting = listUnfinishedReplays(replays);
    if (waiting.length > 0) throw createTimeoutError(waiting, timeoutMs);
    if (replays.some(({ delivery }) => getReplayStatus(delivery) !== 'succeeded')) return ExitCode.failure;
  }
  return refused.length === 0 ? ExitCode.success : ExitCode.failure;
}
