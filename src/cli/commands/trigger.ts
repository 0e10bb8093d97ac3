import type { Delivery, Event } from '../../contract/resources.ts';
import type { ControlPlane } from '../../control/control-plane.ts';
import { ExitCode } from '../../errors.ts';
import { fixtureFolders } from '../../fixtures/folders.ts';
import { listFixtures } from '../../fixtures/library.ts';
import { toDurationMs, toRate, toWholeNumber } from '../arguments.ts';
import { runBurst } from '../burst.ts';
import type { CommandDefinition } from '../command.ts';
import type { Context } from '../context.ts';
import { addEventOptions, createEventBody, type EventOptions } from '../event-body.ts';
import { listAll } from '../pages.ts';
import { askChoice } from '../prompt.ts';
import { deliveryColumns } from '../render/deliveries.ts';
import { renderFields } from '../render/fields.ts';
import { renderTable } from '../render/table.ts';
import { findScheduleNow, type ScheduleNow } from '../schedule-now.ts';
import { DEFAULT_WAIT_MS, lookUntil, waitedTooLong } from '../settlement.ts';

interface Options extends EventOptions {
  readonly type?: string;
  readonly count?: number;
  readonly rate?: number;
  readonly wait?: number | true;
}

export const command: CommandDefinition<Options> = {
  configure: (command) =>
    addEventOptions(command.argument('[type]', 'the type of event, such as order.shipped'))
      .option('--count <n>', 'create so many', toWholeNumber(1, 1_000_000))
      .option('--rate <n/s>', 'create so many a second at most', toRate)
      .option(
        '--wait [duration]',
        'until every delivery has settled, 30s when left out; exit 1 if one failed',
        toDurationMs,
      ),
  examples: [
    'trigger order.shipped',
    'trigger order.shipped --override items[0].quantity=3 --remove address --wait=1m',
    'trigger invoice.paid --data @invoice.json --json',
    'trigger order.shipped --count 1000 --rate 200/s',
  ],
  run,
};

async function run(options: Options, context: Context): Promise<ExitCode> {
  const type = options.type ?? (await chooseType(context));
  const body = await createEventBody(type, options, context);
  const api = await context.api();
  const create = () => api.createEvent(body, options.idempotencyKey);
  if (options.count !== undefined || options.rate !== undefined) return runMany(create, options, context);

  const { value: event, text } = await create();
  const control = await context.connect();
  const timeoutMs = toTimeout(options);
  const deliveries = await findSettled(
    () => listAll((page) => control.listDeliveries({ ...page, event_id: event.id })),
    timeoutMs,
    context,
  );
  const now = await findScheduleNow(deliveries, control, context);
  context.printJsonText(`{"event":${text},"deliveries":${JSON.stringify(deliveries)}}`, () =>
    renderOne(event, deliveries, now, context),
  );
  if (deliveries.length === 0) noteNobody(event, context);
  return conclude(deliveries, timeoutMs);
}

type CreateEvent = () => Promise<{ readonly value: Event }>;

async function runMany(create: CreateEvent, options: Options, context: Context): Promise<ExitCode> {
  const { count = 1, rate: perSecond = Number.POSITIVE_INFINITY } = options;
  const burst = await runBurst(create, { count, perSecond, signal: context.signal });
  const events = burst.results.map(({ value }) => value);
  const control = await context.connect();
  const timeoutMs = toTimeout(options);
  const deliveries = await findSettled(() => listDeliveriesOf(events, control), timeoutMs, context);
  const countOf = (...wanted: string[]) => deliveries.filter(({ status }) => wanted.includes(status)).length;
  const summary = {
    events: new Set(events.map(({ id }) => id)).size,
    deliveries: {
      succeeded: countOf('succeeded'),
      failed: countOf('failed', 'canceled'),
      pending: countOf('pending'),
    },
    duration_ms: burst.durationMs,
    p50_ms: burst.p50Ms,
    p99_ms: burst.p99Ms,
  };
  context.print(summary, () => {
    const { succeeded, failed, pending } = summary.deliveries;
    const fields = {
      Events: `${summary.events} in ${burst.durationMs} ms`,
      'Time to answer': `${burst.p50Ms} ms for half of the requests, ${burst.p99Ms} ms for 99 %`,
      Deliveries: `${succeeded} succeeded, ${failed} failed, ${pending} pending`,
    };
    return renderFields(fields, context.io);
  });
  return conclude(deliveries, timeoutMs);
}

/** The deliveries of many events of one type and workspace, found in few pages. */
async function listDeliveriesOf(events: readonly Event[], control: ControlPlane): Promise<Delivery[]> {
  const [oldest] = events.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  if (oldest === undefined) return [];
  const { type, workspace_id, created_at: since } = oldest;
  const deliveries = await listAll((page) => control.listDeliveries({ ...page, type, workspace_id, since }));
  const ids = new Set(events.map(({ id }) => id));
  return deliveries.filter(({ event_id: id }) => ids.has(id));
}

function chooseType(context: Context): Promise<string> {
  return askChoice(context, 'type', async () => {
    const { projectFolder } = await context.config();
    return listFixtures(fixtureFolders(projectFolder)).map(({ type, description }) => ({
      value: type,
      name: `${type}  ${description}`,
    }));
  });
}

function toTimeout({ wait }: Options): number | undefined {
  return wait === true ? DEFAULT_WAIT_MS : wait;
}

/** Deliveries as they are now, or with a time to wait, as they are once none is pending any more. */
function findSettled(
  look: () => Promise<Delivery[]>,
  timeoutMs: number | undefined,
  { signal }: Context,
): Promise<Delivery[]> {
  if (timeoutMs === undefined) return look();
  return lookUntil(look, (deliveries) => countPending(deliveries) === 0, { timeoutMs, signal });
}

function countPending(deliveries: readonly Delivery[]): number {
  return deliveries.filter(({ status }) => status === 'pending').length;
}

function conclude(deliveries: readonly Delivery[], timeoutMs: number | undefined): ExitCode {
  if (timeoutMs === undefined) return ExitCode.done;
  const pending = countPending(deliveries);
  if (pending > 0) throw waitedTooLong(pending, timeoutMs);
  return deliveries.every(({ status }) => status === 'succeeded') ? ExitCode.done : ExitCode.notSo;
}

function renderOne(
  event: Event,
  deliveries: readonly Delivery[],
  now: ScheduleNow,
  context: Context,
): string {
  const head = renderFields({ Event: event.id, Type: event.type }, context.io);
  if (deliveries.length === 0) return head;
  return `${head}\n\n${renderTable(deliveryColumns(context, now), deliveries, context.io)}`;
}

function noteNobody({ type }: Event, { io }: Context): void {
  io.note(`No endpoint is subscribed to ${type}: svc webhooks create --url URL --events ${type}`);
}
