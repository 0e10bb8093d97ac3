/** `svc deliveries wait`: waits until the deliveries that match have settled. */
import type { Delivery } from '../../contract/delivery-schemas.ts';
import type { ControlPlane } from '../../control/control-plane.ts';
import { describeDelivery } from '../../control/describe-delivery.ts';
import { type SettledStatus, waitForDeliveries } from '../../control/wait.ts';
import { deliveryStatuses } from '../../domain/delivery.ts';
import { formatDuration } from '../../domain/duration.ts';
import { formatDeliveryCount } from '../../domain/format-count.ts';
import { ExitCode, SvcError } from '../../errors.ts';
import type { CommandDefinition } from '../command.ts';
import type { Context } from '../context.ts';
import { addSelectionOptions, type DeliveryFilterOptions, toDeliveryFilter } from '../delivery-filter.ts';
import { createTimeoutError, DEFAULT_WAIT_MS, showDeliveryProgress } from '../delivery-wait.ts';
import { choiceOption, parseDurationMs, wholeNumberParser } from '../option-parsers.ts';
import { deliveryColumns } from '../render/deliveries.ts';
import { renderTable } from '../render/table.ts';
import { fetchScheduleTimes, type ScheduleTimeOf } from '../schedule-time.ts';

interface Options extends DeliveryFilterOptions {
  readonly status?: SettledStatus;
  readonly count?: number;
  readonly timeout?: number;
}

/** Maximum number of explained deliveries: the first ones usually show the cause. */
const MAX_EXPLAINED = 20;
const settledStatuses = deliveryStatuses.filter((status) => status !== 'pending');

export const command: CommandDefinition<Options> = {
  configure: (command) =>
    addSelectionOptions(
      command.addOption(
        choiceOption(
          '--status <status>',
          'Status to wait for, with exit code 1 if a delivery settles with another status',
          settledStatuses,
        ).default(undefined, 'any'),
      ),
    )
      .option(
        '--count <n>',
        'Number of deliveries to wait for (default: all, at least 1)',
        wholeNumberParser(1, 1_000_000),
      )
      .option(
        '--timeout <duration>',
        'Give up after this time, with exit code 5 (default: 30s)',
        parseDurationMs,
      ),
  examples: [
    [
      'Wait until an event was delivered',
      'deliveries wait --event evt_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --status succeeded',
    ],
    [
      'Wait up to ten seconds for three deliveries created in the last minute',
      'deliveries wait --type order.shipped --since 1m --count 3 --timeout 10s',
    ],
    [
      'Wait for the deliveries to one endpoint and print them as JSON',
      'deliveries wait --webhook wh_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --json',
    ],
  ],
  run,
};

/** Prints the matching deliveries also if the wait fails. */
async function run(options: Options, context: Context): Promise<ExitCode> {
  const { status, count, timeout: timeoutMs = DEFAULT_WAIT_MS, ...filterOptions } = options;
  const control = await context.connect();
  const condition = { filter: toDeliveryFilter(filterOptions), status, count };
  const result = await showDeliveryProgress('Settled', context, (onChange) =>
    waitForDeliveries(control, condition, { ...context, timeoutMs, onChange }),
  );
  const { deliveries, waiting, matched, mismatched, isMet } = result;
  const scheduleTimeOf = await fetchScheduleTimes(deliveries, control, context);
  if (deliveries.length > 0 || context.json) {
    const list = { data: deliveries, has_more: false, end_cursor: deliveries.at(-1)?.id ?? null };
    context.print(list, () => renderTable(deliveryColumns(context, scheduleTimeOf), deliveries, context.io));
  }
  if (isMet) return ExitCode.success;
  if (!context.json) {
    await explainDeliveries([...mismatched, ...waiting], scheduleTimeOf, control, context);
  }
  if (mismatched.length > 0) return ExitCode.failure;
  throw waiting.length > 0
    ? createTimeoutError(waiting, timeoutMs)
    : createNoMatchError(matched.length, count ?? 1, timeoutMs);
}

async function explainDeliveries(
  deliveries: readonly Delivery[],
  scheduleTimeOf: ScheduleTimeOf,
  control: Pick<ControlPlane, 'getDelivery'>,
  { io }: Context,
): Promise<void> {
  const explained = deliveries.slice(0, MAX_EXPLAINED);
  const details = await Promise.all(explained.map(({ id }) => control.getDelivery({ id })));
  for (const delivery of details) io.note(describeDelivery(delivery, scheduleTimeOf(delivery)));
  const rest = deliveries.length - explained.length;
  if (rest > 0) io.note(`… and ${rest} more.`);
}

function createNoMatchError(settledCount: number, count: number, timeoutMs: number): SvcError {
  const message =
    settledCount === 0
      ? `No delivery matched within ${formatDuration(timeoutMs)}.`
      : `Only ${settledCount} of ${formatDeliveryCount(count)} settled within ${formatDuration(timeoutMs)}.`;
  return new SvcError('timeout', message, {
    hint: 'List deliveries with: svc deliveries list. List subscriptions with: svc webhooks list',
  });
}
