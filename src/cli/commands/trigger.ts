/** `svc trigger`: creates an event and shows its deliveries. `--count` is in `trigger-many.ts`. */

import { InvalidArgumentError } from 'commander';
import type { ParsedResponse } from '../../client/api-client.ts';
import { formatDuration } from '../../domain/duration.ts';
import { ExitCode } from '../../domain/errors.ts';
import { isEventType } from '../../domain/event.ts';
import { listAll } from '../../operations/control-plane.ts';
import { describeEventSettings, type Event } from '../../resources/event.ts';
import { eventTypeChoices } from '../choices/fixture-choices.ts';
import { AskedArgument, type CommandDefinition } from '../command.ts';
import type { Context } from '../context.ts';
import {
  type CommandWait,
  DEFAULT_WAIT_MS,
  explainNoDeliveries,
  explainWait,
  KEEP_WAITING_OPTION,
  toCommandWait,
  waitForDeliveries,
} from '../delivery-wait.ts';
import { addEventOptions, createEventBodyFactory, type EventOptions } from '../event-options.ts';
import {
  createDependentOptionError,
  parseDurationMs,
  parseRate,
  wholeNumberParser,
} from '../option-parsers.ts';
import { askChoice } from '../prompt.ts';
import { deliveryColumns } from '../render/deliveries.ts';
import { renderFields, renderTable } from '../render/table.ts';
import { fetchScheduleTimes } from '../schedule-time.ts';
import { triggerMany } from './trigger-many.ts';

interface Options extends EventOptions {
  readonly type?: string;
  readonly count?: number;
  /** Per second. */
  readonly rate?: number;
  /** Milliseconds; true without a value. */
  readonly wait?: number | true;
  readonly keepWaiting?: true;
}

export const command: CommandDefinition<Options> = {
  configure: (command) =>
    addEventOptions(
      command.addArgument(new AskedArgument('type', 'Event type, such as order.shipped', eventTypeChoices)),
    )
      .option('--count <n>', 'Number of events to create; prints a summary', wholeNumberParser(1, 1_000_000))
      .optionWithDefault(
        '--rate <n/s>',
        'With --count: maximum number of events per second',
        'no limit',
        parseRate,
      )
      .optionWithDefault(
        '--wait [duration]',
        'Wait up to this long for every delivery to settle; exit with code 1 if one fails',
        formatDuration(DEFAULT_WAIT_MS),
        parseWait,
      )
      .option(...KEEP_WAITING_OPTION),
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
    if (rate !== undefined && count === undefined) throw createDependentOptionError('--rate', '--count');
    const wait = toCommandWait(options);
    const type = options.type ?? (await askChoice(context, 'type', eventTypeChoices));
    const workspaceId = options.workspace ?? (await context.getWorkspaceId());
    const createBody = await createEventBodyFactory(type, { ...options, workspace: workspaceId }, context);
    const api = await context.connectApi();
    if (count === undefined) {
      return triggerOne(() => api.createEvent(createBody(), idempotencyKey), wait, context);
    }
    // One key for each event, so that running the command again creates none of them twice.
    const toKey = (number: number) => idempotencyKey && `${idempotencyKey}-${number}`;
    return triggerMany(
      async (number) => (await api.createEvent(createBody(), toKey(number))).value,
      { type, workspaceId, count, perSecond: rate ?? Number.POSITIVE_INFINITY, wait },
      context,
    );
  },
};

/** `svc trigger --wait order.shipped` */
function parseWait(text: string): number {
  if (isEventType(text))
    throw new InvalidArgumentError(
      `The event type was taken as the duration. Use: svc trigger ${text} --wait`,
    );
  return parseDurationMs(text);
}

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
