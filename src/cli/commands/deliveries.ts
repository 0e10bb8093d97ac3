/** `svc deliveries`: lists, shows, follows and exports deliveries, and waits for them. `replay` has a file of its own. */
import { settledStatuses } from '../../domain/delivery.ts';
import { deliveryFilters } from '../../resources/delivery.ts';
import { deliveryChoices } from '../choices/resource-choices.ts';
import type { CommandGroup } from '../command.ts';
import { defineCommand } from '../define-command.ts';
import {
  DEFAULT_WAIT_MS,
  explainWait,
  keepWaitingRow,
  timeoutRow,
  waitForDeliveries,
} from '../delivery-wait.ts';
import { warnAboutMistypedTypes } from '../endpoint-warnings.ts';
import { followAttempts } from '../follow.ts';
import { operation } from '../operation-command.ts';
import { wholeNumberParser } from '../option-parsers.ts';
import { deliveryColumns, renderDelivery } from '../render/deliveries.ts';
import { renderTable } from '../render/table.ts';
import { fetchScheduleTimes } from '../schedule-time.ts';

const { until: _until, ...tailFilters } = deliveryFilters;

export const tail = defineCommand({
  options: tailFilters,
  examples: [
    ['Follow attempts until you press Ctrl-C', 'deliveries tail'],
    [
      'Show all attempts to deliver an event, and new ones',
      'deliveries tail --event evt_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --since 7d',
    ],
  ],
  async run(filter, context) {
    const control = await context.connect();
    const stream = control.stream({ ...filter, types: 'attempt' }, context.signal);
    const heading = 'Following delivery attempts. Press Ctrl-C to stop.';
    await warnAboutMistypedTypes([filter.type], context);
    return followAttempts(stream, context, { heading });
  },
});

const { response_status: _status, ...waitFilters } = tailFilters;

/** Prints the matching deliveries even if the wait fails. */
export const wait = defineCommand({
  options: {
    ...waitFilters,
    status: {
      option: '--status <status>',
      summary: 'Status to wait for; exit with code 1 if a delivery settles with another status',
      choices: settledStatuses,
      defaultText: 'any',
    },
    count: {
      option: '--count <n>',
      summary: 'Number of deliveries to wait for',
      parse: wholeNumberParser(1, 1_000_000),
      defaultText: 'all, at least 1',
    },
    timeout: timeoutRow,
    keepWaiting: keepWaitingRow,
  },
  examples: [
    [
      'Wait until an event has been delivered',
      'deliveries wait --event evt_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --status succeeded',
    ],
    [
      'Wait up to ten seconds for three deliveries created in the last minute',
      'deliveries wait --type order.shipped --since 1m --count 3 --timeout 10s',
    ],
  ],
  async run(options, context) {
    const { timeout: timeout_ms = DEFAULT_WAIT_MS, keepWaiting: keep_waiting, ...input } = options;
    const control = await context.connect();
    const report = await waitForDeliveries(control, { ...input, timeout_ms, keep_waiting }, context);
    const { data, has_more, end_cursor } = report;
    const scheduleTimeOf = await fetchScheduleTimes(data, control, context);
    if (data.length > 0 || context.json) {
      context.print({ data, has_more, end_cursor }, () =>
        renderTable(deliveryColumns(context, scheduleTimeOf), data, context.io),
      );
    }
    explainWait(report, context);
  },
});

const EXPORT_NOTES = `
The output is NDJSON: one delivery with its attempts per line, oldest first. API keys, endpoint secrets, cookies, passwords and tokens are
replaced by [removed]. Signatures are included, because they reveal nothing without the secret.

svc events import and svc gaps check read it.`;

export const exportNdjson = defineCommand({
  options: {
    id: {
      argument: '[id]',
      summary: 'Delivery ID (del_…)',
      defaultText: 'all deliveries that match',
      source: deliveryChoices,
      conflicts: Object.keys(deliveryFilters),
    },
    ...deliveryFilters,
  },
  notes: EXPORT_NOTES,
  examples: [
    ['Save one delivery to share it', 'deliveries export del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D > delivery.ndjson'],
    [
      'Save the deliveries that failed in the last hour',
      'deliveries export --status failed --since 1h > failed.ndjson',
    ],
  ],
  async run({ id, ...filter }, context) {
    const control = await context.connect();
    const parts = await control.exportDeliveries({ delivery_id: id, ...filter }, context.signal);
    for await (const part of parts) context.io.write(part);
  },
});

export const command = {
  commands: {
    list: operation('listDeliveries', {
      summary: 'List deliveries, newest first',
      options: deliveryFilters,
      list: deliveryChoices,
      examples: [
        ['List the newest deliveries', 'deliveries list'],
        ['List everything that failed in the last hour', 'deliveries list --status failed --since 1h'],
        [
          'Find the deliveries of an order that were created between one and two hours ago',
          'deliveries list --text ord_7KQ2M9 --since 2h --until 1h',
        ],
      ],
    }),
    get: operation('getDelivery', {
      summary: 'Show a delivery with all its attempts',
      options: { id: { argument: '<id>', summary: 'Delivery ID (del_…)', source: deliveryChoices } },
      async render(delivery, context) {
        const control = await context.connect();
        const scheduleTimeOf = await fetchScheduleTimes([delivery], control, context);
        const explanation =
          delivery.attempts.length === 0 ? null : await control.explainDelivery({ id: delivery.id });
        return renderDelivery(delivery, explanation, scheduleTimeOf(delivery), context);
      },
      examples: [
        [
          'Show what was sent, each response, and when the next attempt is due',
          'deliveries get del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
        ],
      ],
    }),
    tail: { summary: 'Follow delivery attempts in real time', ...tail },
    replay: {
      summary: 'Send deliveries again',
      load: () => import('./deliveries-replay.ts'),
    },
    wait: { summary: 'Wait until deliveries have settled', ...wait },
    export: { summary: 'Export deliveries as NDJSON', ...exportNdjson },
  },
} satisfies CommandGroup;
