import type { Command } from 'commander';
import type { Delivery } from '../../../contract/resources.ts';
import type { HttpControlPlane } from '../../../control/http-client.ts';
import { type DeliveryStatus, deliveryStatuses } from '../../../domain/delivery.ts';
import { formatDuration, parseDuration } from '../../../domain/duration.ts';
import { ExitCode, SvcError } from '../../../errors.ts';
import { choiceOption, toDurationMs, toWholeNumber } from '../../arguments.ts';
import type { CommandDefinition } from '../../command.ts';
import type { Context } from '../../context.ts';
import { noteAccount } from '../../delivery-account.ts';
import { addDeliverySelection, type DeliveryFilterOptions, toDeliveryFilter } from '../../delivery-filter.ts';
import { listAll } from '../../pages.ts';
import { deliveryColumns } from '../../render/deliveries.ts';
import { renderTable } from '../../render/table.ts';
import { findScheduleNow } from '../../schedule-now.ts';
import {
  type Awaited,
  awaitDeliveries,
  DEFAULT_WAIT_MS,
  isPending,
  type Standing,
  type StandingCounts,
  waitedTooLong,
} from '../../settlement.ts';

interface Options extends DeliveryFilterOptions {
  readonly count?: number;
  readonly timeout?: number;
}

const settledStatuses = deliveryStatuses.filter((status) => status !== 'pending');

export const command: CommandDefinition<Options> = {
  configure,
  examples: [
    'deliveries wait --event evt_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --status succeeded',
    'deliveries wait --type order.shipped --since 1m --count 3 --timeout 10s',
    'deliveries wait --webhook wh_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --json',
  ],
  run,
};

function configure(command: Command): void {
  command.addOption(
    choiceOption(
      '--status <status>',
      'until they are in this state, exit 1 once one has settled otherwise; any but pending when left out',
      settledStatuses,
    ),
  );
  addDeliverySelection(command)
    .option(
      '--count <n>',
      'until so many are; when left out all, and at least one',
      toWholeNumber(1, 1_000_000),
    )
    .option('--timeout <duration>', 'give up after that, exit 5; 30s when left out', toDurationMs);
}

/** The deliveries that match are printed however it ends. */
async function run(options: Options, context: Context): Promise<ExitCode> {
  const { status, count, timeout: timeoutMs = DEFAULT_WAIT_MS } = options;
  const control = await context.connect();
  const judge = (delivery: Delivery) => judgeBy(delivery, status);
  const isOver = ({ open, done, wrong }: StandingCounts) =>
    wrong > 0 || (count === undefined ? open === 0 && done > 0 : done >= count);
  const awaited = { ...(await selectDeliveries(options, control)), judge, isOver, progress: 'Settled' };
  const seen = await awaitDeliveries(control, awaited, { ...context, timeoutMs });

  const deliveries = seen.sort((a, b) => (a.id < b.id ? 1 : -1));
  const now = await findScheduleNow(deliveries, control, context);
  if (deliveries.length > 0 || context.json) {
    const page = { data: deliveries, has_more: false, end_cursor: deliveries.at(-1)?.id ?? null };
    context.print(page, () => renderTable(deliveryColumns(context, now), deliveries, context.io));
  }
  const [open = [], done = [], wrong = []] = (['open', 'done', 'wrong'] as const).map((standing) =>
    deliveries.filter((delivery) => judge(delivery) === standing),
  );
  if (wrong.length === 0 && isOver({ open: open.length, done: done.length, wrong: 0 })) return ExitCode.done;
  if (!context.json) await noteAccount([...wrong, ...open], now, control, context);
  if (wrong.length > 0) return ExitCode.notSo;
  throw open.length > 0
    ? waitedTooLong(open.length, timeoutMs)
    : waitedInVain(done.length, options, timeoutMs);
}

function judgeBy(delivery: Delivery, wanted: DeliveryStatus | undefined): Standing {
  if (isPending(delivery)) return 'open';
  return wanted === undefined || delivery.status === wanted ? 'done' : 'wrong';
}

/** Those that match now, and those that will be made while it waits. */
async function selectDeliveries(
  { status: _, since, ...selection }: Options,
  control: HttpControlPlane,
): Promise<Pick<Awaited, 'filter' | 'look' | 'includes'>> {
  const filter = toDeliveryFilter(selection);
  const sinceAt = since === undefined ? null : await findInstant(since, selection.workspace, control);
  const from = sinceAt === null ? {} : { since: new Date(sinceAt).toISOString() };
  return {
    filter,
    look: () => listAll((page) => control.listDeliveries({ ...page, ...filter, ...from })),
    includes: ({ created_at: at }) => sinceAt === null || Date.parse(at) >= sinceAt,
  };
}

/** A time, or a duration before now by the schedule clock that stamps deliveries, in milliseconds since 1970. */
async function findInstant(
  since: string,
  workspace: string | undefined,
  control: HttpControlPlane,
): Promise<number> {
  const before = parseDuration(since);
  if (before === null) return Date.parse(since);
  const { now } = await control.getClock(workspace === undefined ? {} : { workspace_id: workspace });
  return Date.parse(now) - before;
}

/** The error of a wait for deliveries that nobody made. */
function waitedInVain(found: number, { count = 1 }: Options, timeoutMs: number): SvcError {
  const none = found === 0 ? 'No delivery matches' : `Only ${found} of ${count} deliveries match`;
  return new SvcError('timeout', `${none} after ${formatDuration(timeoutMs)}.`, {
    hint: 'svc deliveries list shows what there is; svc webhooks list shows which endpoint gets what.',
  });
}
