import type { Command } from 'commander';
import { type SettledStatus, waitForDeliveries } from '../../../control/wait-condition.ts';
import { deliveryStatuses } from '../../../domain/delivery.ts';
import { formatDuration } from '../../../domain/duration.ts';
import { ExitCode, SvcError } from '../../../errors.ts';
import type { CommandDefinition } from '../../command.ts';
import type { Context } from '../../context.ts';
import { addSelectionOptions, type DeliveryFilterOptions, toDeliveryFilter } from '../../delivery-filter.ts';
import { createTimeoutError, DEFAULT_WAIT_MS, showDeliveryProgress } from '../../delivery-wait.ts';
import { explainDeliveries } from '../../explain-deliveries.ts';
import { choiceOption, parseDurationMs, wholeNumberParser } from '../../option-parsers.ts';
import { deliveryColumns } from '../../render/deliveries.ts';
import { renderTable } from '../../render/table.ts';
import { fetchScheduleTimes } from '../../schedule-time.ts';

interface Options extends DeliveryFilterOptions {
  readonly status?: SettledStatus;
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
  addSelectionOptions(command)
    .option(
      '--count <n>',
      'until so many are; when left out all, and at least one',
      wholeNumberParser(1, 1_000_000),
    )
    .option('--timeout <duration>', 'give up after that, exit 5; 30s when left out', parseDurationMs);
}

/** The deliveries that match are printed however it ends. */
async function run(options: Options, context: Context): Promise<ExitCode> {
  const { status, count, timeout: timeoutMs = DEFAULT_WAIT_MS, ...selection } = options;
  const control = await context.connect();
  const wish = { filter: toDeliveryFilter(selection), status, count };
  const { deliveries, open, done, wrong, isMet } = await showDeliveryProgress(
    'Settled',
    context,
    (onChange) => waitForDeliveries(control, wish, { ...context, timeoutMs, onChange }),
  );
  const now = await fetchScheduleTimes(deliveries, control, context);
  if (deliveries.length > 0 || context.json) {
    const page = { data: deliveries, has_more: false, end_cursor: deliveries.at(-1)?.id ?? null };
    context.print(page, () => renderTable(deliveryColumns(context, now), deliveries, context.io));
  }
  if (isMet) return ExitCode.success;
  if (!context.json) await explainDeliveries([...wrong, ...open], now, control, context);
  if (wrong.length > 0) return ExitCode.failure;
  throw open.length > 0
    ? createTimeoutError(open, timeoutMs)
    : createNoMatchError(done.length, options, timeoutMs);
}

/** The error of a wait for deliveries that nobody made. */
function createNoMatchError(found: number, { count = 1 }: Options, timeoutMs: number): SvcError {
  const none = found === 0 ? 'No delivery matches' : `Only ${found} of ${count} deliveries match`;
  return new SvcError('timeout', `${none} after ${formatDuration(timeoutMs)}.`, {
    hint: 'svc deliveries list shows what there is; svc webhooks list shows which endpoint gets what.',
  });
}
