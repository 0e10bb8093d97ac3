/** `svc deliveries`: lists, shows and follows deliveries, and waits for them. `export` and `replay` have files of their own. */
import { describeTooFew } from '../../client/texts/describe-unsettled.ts';
import { waitForDeliveries } from '../../client/wait.ts';
import { type ControlPlane, listAll } from '../../contract/control-plane.ts';
import type { DeliveryDetail } from '../../contract/delivery-schemas.ts';
import { type SettledStatus, settledStatuses } from '../../domain/delivery.ts';
import { formatDuration } from '../../domain/duration.ts';
import { isFaultActive } from '../../domain/fault.ts';
import { ExitCode, SvcError } from '../../errors.ts';
import { deliveryChoices } from '../choices/resource-choices.ts';
import { AskedArgument, type CommandDefinition } from '../command.ts';
import { addDeliveryFilterOptions, type DeliveryFilterOptions } from '../delivery-filter-options.ts';
import {
  createUnsettledError,
  DEFAULT_WAIT_MS,
  explainDeliveries,
  hintToExplain,
  KEEP_WAITING_OPTION,
  showDeliveryProgress,
} from '../delivery-wait.ts';
import { warnAboutMistypedTypes } from '../endpoint-warnings.ts';
import { followAttempts } from '../follow.ts';
import { choiceOption, parseDurationMs, wholeNumberParser } from '../option-parsers.ts';
import { addPageOptions, type PageOptions } from '../page-options.ts';
import { askChoice } from '../prompt.ts';
import { deliveryColumns, renderDelivery } from '../render/deliveries.ts';
import { printPage, renderTable } from '../render/table.ts';
import { fetchScheduleTimes } from '../schedule-time.ts';

export const list: CommandDefinition<DeliveryFilterOptions & PageOptions> = {
  configure: (command) => addPageOptions(addDeliveryFilterOptions(command)),
  examples: [
    ['List the newest deliveries', 'deliveries list'],
    ['List everything that failed in the last hour', 'deliveries list --status failed --since 1h'],
    ['List the deliveries whose last attempt got a 4xx response', 'deliveries list --response 4xx'],
    ['Print the deliveries of one event type as JSON', 'deliveries list --type order.shipped --json'],
    [
      'Find the deliveries of an order that were created between one and two hours ago',
      'deliveries list --text ord_7KQ2M9 --since 2h --until 1h',
    ],
  ],
  async run(options, context) {
    const control = await context.connect();
    const page = await control.listDeliveries(options);
    const scheduleTimeOf = await fetchScheduleTimes(page.data, control, context);
    await printPage(context, page, 'deliveries', deliveryColumns(context, scheduleTimeOf), {
      type: options.type,
    });
  },
};

export const get: CommandDefinition<{ readonly id?: string }> = {
  configure: (command) => command.addArgument(new AskedArgument('id', 'Delivery ID (del_…)')),
  examples: [
    [
      'Show what was sent, each response, and when the next attempt is due',
      'deliveries get del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
    ],
  ],
  async run({ id }, context) {
    const deliveryId = id ?? (await askChoice(context, 'id', deliveryChoices));
    const control = await context.connect();
    const delivery = await control.getDelivery({ id: deliveryId });
    const scheduleTimeOf = await fetchScheduleTimes([delivery], control, context);
    const activeFaultIds = await fetchActiveFaultIds(delivery, control);
    context.print(delivery, () =>
      renderDelivery(delivery, scheduleTimeOf(delivery), { ...context, activeFaultIds }),
    );
  },
};

/** IDs of the faults that can still be applied; none if no fault was applied to the attempts. */
async function fetchActiveFaultIds(
  { attempts }: DeliveryDetail,
  control: ControlPlane,
): Promise<ReadonlySet<string>> {
  if (attempts.every(({ fault }) => fault === undefined)) return new Set();
  const faults = await listAll((page) => control.listFaults(page));
  return new Set(faults.filter(isFaultActive).map(({ id }) => id));
}

export const tail: CommandDefinition<DeliveryFilterOptions> = {
  configure: (command) => addDeliveryFilterOptions(command, ['until']),
  examples: [
    ['Follow attempts until you press Ctrl-C', 'deliveries tail'],
    [
      'Show all attempts to deliver an event, and new ones',
      'deliveries tail --event evt_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --since 7d',
    ],
    [
      'Print the attempts of the deliveries of the last hour and every new one, one JSON object per line',
      'deliveries tail --since 1h --type order.shipped --json',
    ],
  ],
  async run(filter, context) {
    const control = await context.connect();
    const stream = control.stream({ ...filter, types: 'attempt' }, context.signal);
    const heading = 'Following delivery attempts. Press Ctrl-C to stop.';
    await warnAboutMistypedTypes([filter.type], context);
    return followAttempts(stream, context, { heading });
  },
};

interface WaitOptions extends Omit<DeliveryFilterOptions, 'status' | 'response_status' | 'until'> {
  readonly status?: SettledStatus;
  readonly count?: number;
  /** Milliseconds. */
  readonly timeout?: number;
  readonly keepWaiting?: true;
}

/** Prints the matching deliveries even if the wait fails. */
export const wait: CommandDefinition<WaitOptions> = {
  configure: (command) =>
    addDeliveryFilterOptions(
      command.addOption(
        choiceOption(
          '--status <status>',
          'Status to wait for; exit with code 1 if a delivery settles with another status',
          settledStatuses,
        ).default(undefined, 'any'),
      ),
      ['status', 'response_status', 'until'],
    )
      .optionWithDefault(
        '--count <n>',
        'Number of deliveries to wait for',
        'all, at least 1',
        wholeNumberParser(1, 1_000_000),
      )
      .optionWithDefault(
        '--timeout <duration>',
        'Give up after this time, with exit code 5',
        formatDuration(DEFAULT_WAIT_MS),
        parseDurationMs,
      )
      .option(...KEEP_WAITING_OPTION),
  examples: [
    [
      'Wait until an event has been delivered',
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
  async run(options, context) {
    const { status, count, timeout: timeoutMs = DEFAULT_WAIT_MS, keepWaiting, ...filter } = options;
    const control = await context.connect();
    const condition = { filter, status, count };
    const result = await showDeliveryProgress('Settled', context, (onChange) =>
      waitForDeliveries(control, condition, { ...context, timeoutMs, keepWaiting, onChange }),
    );
    const { deliveries, waiting, matched, mismatched, isMet } = result;
    const scheduleTimeOf = await fetchScheduleTimes(deliveries, control, context);
    if (deliveries.length > 0 || context.json) {
      const page = { data: deliveries, has_more: false, end_cursor: deliveries.at(-1)?.id ?? null };
      context.print(page, () =>
        renderTable(deliveryColumns(context, scheduleTimeOf), deliveries, context.io),
      );
    }
    if (isMet) return ExitCode.success;
    if (deliveries.length === 0) await warnAboutMistypedTypes([filter.type], context);
    await explainDeliveries([...mismatched, ...waiting], scheduleTimeOf, control, context);
    if (mismatched.length > 0) {
      hintToExplain(mismatched, context);
      return ExitCode.failure;
    }
    throw waiting.length > 0
      ? await createUnsettledError(waiting, { ...result, timeoutMs }, control, context)
      : createTooFewError(matched.length, count ?? 1, timeoutMs);
  },
};

function createTooFewError(matchedCount: number, count: number, timeoutMs: number): SvcError {
  return new SvcError('timeout', describeTooFew(matchedCount, count, timeoutMs), {
    hint:
      matchedCount === 0
        ? { text: 'List the endpoints and their event types', command: 'svc webhooks list' }
        : { text: 'List the deliveries', command: 'svc deliveries list' },
  });
}
