import { Option } from 'commander';
import type { Delivery } from '../../../contract/resources.ts';
import type { ControlPlane } from '../../../control/control-plane.ts';
import { ExitCode, SvcError } from '../../../errors.ts';
import { toDurationMs, toSince } from '../../arguments.ts';
import type { CommandDefinition } from '../../command.ts';
import type { Context } from '../../context.ts';
import { listAll } from '../../pages.ts';
import { deliveryColumns } from '../../render/deliveries.ts';
import { renderTable } from '../../render/table.ts';
import { DEFAULT_WAIT_MS, lookUntil, waitedTooLong } from '../../settlement.ts';
import { chooseDelivery } from './choose-delivery.ts';

interface Options {
  readonly ids: readonly string[];
  readonly failed?: true;
  readonly since?: string;
  readonly to?: string;
  readonly newId?: true;
  readonly wait?: number | true;
}

export const command: CommandDefinition<Options> = {
  configure: (command) =>
    command
      .argument('[ids...]', 'del_… del_…')
      .option('--failed', 'every failed delivery, instead of naming some')
      .addOption(
        new Option('--since <when>', 'only those created since then: 1h, or a time').argParser(toSince),
      )
      .option('--to <url>', 'send to this address, as a new delivery')
      .option('--new-id', 'make a new delivery with replay_of instead of a new attempt')
      .option(
        '--wait [duration]',
        'until each has been answered, 30s when left out; exit 1 if one failed',
        toDurationMs,
      ),
  examples: [
    'deliveries replay del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
    'deliveries replay --failed --since 1h --wait=1m',
    'deliveries replay del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --to http://localhost:4000/hooks',
  ],
  run,
};

async function run(options: Options, context: Context): Promise<ExitCode> {
  const { failed, since } = options;
  if (failed && options.ids.length > 0) throw new SvcError('usage', 'Pass either ids or --failed.');
  if (since !== undefined && !failed) throw new SvcError('usage', '--since goes with --failed.');
  const control = await context.connect();
  const ids = await chooseDeliveries(options, control, context);
  const replayed: Delivery[] = [];
  for (const id of ids) {
    replayed.push(
      await control.replayDelivery({
        id,
        ...(options.newId ? { new_id: true } : {}),
        ...(options.to === undefined ? {} : { url: options.to }),
      }),
    );
  }
  const timeoutMs = options.wait === true ? DEFAULT_WAIT_MS : options.wait;
  const deliveries =
    timeoutMs === undefined ? replayed : await waitForAnswers(replayed, control, context, timeoutMs);
  print(deliveries, options, context);
  if (timeoutMs === undefined) return ExitCode.done;
  const waiting = deliveries.filter((delivery, index) => !isAnswered(delivery, replayed[index]));
  if (waiting.length > 0) throw waitedTooLong(waiting.length, timeoutMs);
  return deliveries.every(({ status }) => status === 'succeeded') ? ExitCode.done : ExitCode.notSo;
}

async function chooseDeliveries(
  { ids, failed, since }: Options,
  control: ControlPlane,
  context: Context,
): Promise<readonly string[]> {
  if (failed) {
    const filter = { status: 'failed' as const, ...(since === undefined ? {} : { since }) };
    const deliveries = await listAll((page) => control.listDeliveries({ ...page, ...filter }));
    return deliveries.map(({ id }) => id);
  }
  return ids.length > 0 ? ids : [await chooseDelivery(control, context)];
}

function waitForAnswers(
  replayed: readonly Delivery[],
  control: ControlPlane,
  { signal }: Context,
  timeoutMs: number,
): Promise<Delivery[]> {
  return lookUntil(
    () => Promise.all(replayed.map(({ id }) => control.getDelivery({ id }))),
    (deliveries) => deliveries.every((delivery, index) => isAnswered(delivery, replayed[index])),
    { timeoutMs, signal },
  );
}

/** Whether the attempt that the replay asked for has been made. A delivery on its retry schedule goes on after it. */
function isAnswered(delivery: Delivery, replayed: Delivery | undefined): boolean {
  return delivery.status !== 'pending' || delivery.attempt_count > (replayed?.attempt_count ?? 0);
}

/** One delivery named is one thing; anything else is a list. */
function print(deliveries: readonly Delivery[], { ids }: Options, context: Context): void {
  const list = { data: deliveries, has_more: false, end_cursor: deliveries.at(-1)?.id ?? null };
  if (deliveries.length === 0 && !context.json) {
    context.io.note('No deliveries to replay.');
    return;
  }
  context.print(ids.length === 1 ? deliveries[0] : list, () =>
    renderTable(deliveryColumns(context), deliveries, context.io),
  );
}
