/** `svc trigger`: creates an event and shows its deliveries. `--count` is in `trigger-many.ts`. */

import type { ParsedResponse } from '../../client/api-client.ts';
import { ExitCode } from '../../domain/errors.ts';
import { listAll } from '../../operations/control-plane.ts';
import { describeEventSettings, type Event } from '../../resources/event.ts';
import type { Context } from '../context.ts';
import { defineCommand } from '../define-command.ts';
import {
  type CommandWait,
  explainNoDeliveries,
  explainWait,
  toCommandWait,
  waitForDeliveries,
  waitRows,
} from '../delivery-wait.ts';
import { createEventBodyFactory, eventRows } from '../event-options.ts';
import { parseRate, wholeNumberParser } from '../option-parsers.ts';
import { deliveryColumns } from '../render/deliveries.ts';
import { renderFields, renderTable } from '../render/table.ts';
import { fetchScheduleTimes } from '../schedule-time.ts';
import { triggerMany } from './trigger-many.ts';

export const command = defineCommand({
  options: {
    ...eventRows,
    count: {
      option: '--count <n>',
      summary: 'Number of events to create; prints a summary',
      parse: wholeNumberParser(1, 1_000_000),
    },
    rate: {
      option: '--rate <n/s>',
      summary: 'With --count: maximum number of events per second',
      parse: parseRate,
      defaultText: 'no limit',
      needs: 'count',
    },
    ...waitRows,
  },
  examples: [
    ['Create an event with the payload of its fixture', 'trigger order.shipped'],
    [
      'Change the payload and wait for the deliveries',
      'trigger order.shipped --override items[0].quantity=3 --remove address --wait=1m',
    ],
    [
      'Send your own payload and print the event and its deliveries as JSON',
      'trigger invoice.paid --data @invoice.json --json',
    ],
    [
      'Create 1000 events with different order IDs',
      "trigger order.created --count 1000 --rate 200/s --override 'order_id={{id ord}}'",
    ],
  ],
  async run(options, context) {
    const { count, rate, idempotencyKey } = options;
    const wait = toCommandWait(options);
    const createBody = await createEventBodyFactory(options, context);
    const api = await context.connectApi();
    if (count === undefined) {
      return triggerOne(() => api.createEvent(createBody(), idempotencyKey), wait, context);
    }
    // One key for each event, so that running the command again creates none of them twice.
    const toKey = (number: number) => idempotencyKey && `${idempotencyKey}-${number}`;
    return triggerMany(
      async (number) => (await api.createEvent(createBody(), toKey(number))).value,
      { count, perSecond: rate ?? Number.POSITIVE_INFINITY, wait },
      context,
    );
  },
});

async function triggerOne(
  create: () => Promise<ParsedResponse<Event>>,
  wait: CommandWait | undefined,
  context: Context,
): Promise<ExitCode> {
  const { io } = context;
  const { value: event, text } = await create();
  const control = await context.connect();
  const created = await listAll((page) => control.listDeliveries({ ...page, event_id: event.id }));
  const report =
    wait === undefined || created.length === 0
      ? null
      : await waitForDeliveries(control, { event_id: event.id, ...wait }, context);
  const deliveries = report?.data ?? created;
  const scheduleTimeOf = await fetchScheduleTimes(deliveries, control, context);
  context.printJsonText(`{"event":${text},"deliveries":${JSON.stringify(deliveries)}}`, () => {
    const fields = { Event: event.id, Type: event.type, ...describeEventSettings(event) };
    const eventText = renderFields(fields, io);
    if (deliveries.length === 0) return eventText;
    return `${eventText}\n\n${renderTable(deliveryColumns(context, scheduleTimeOf), deliveries, io)}`;
  });
  if (deliveries.length === 0) explainNoDeliveries(event.type, io);
  return report === null || explainWait(report, context) ? ExitCode.success : ExitCode.failure;
}
