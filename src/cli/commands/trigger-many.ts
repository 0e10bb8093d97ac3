/** `svc trigger --count`: creates many events of one type and prints a summary of their deliveries. */

import { getDisplayStatus } from '../../domain/delivery.ts';
import { formatDuration, SECOND_MS } from '../../domain/duration.ts';
import { ExitCode } from '../../domain/errors.ts';
import { formatCount } from '../../domain/message-parts.ts';
import { type ControlPlane, listAll } from '../../operations/control-plane.ts';
import type { WaitReport } from '../../operations/wait-schemas.ts';
import { mapAtRate } from '../../platform/map-at-rate.ts';
import type { Delivery } from '../../resources/delivery.ts';
import type { Event } from '../../resources/event.ts';
import type { Context } from '../context.ts';
import {
  type CommandWait,
  explainNoDeliveries,
  explainWait,
  hintToExplain,
  waitForDeliveries,
} from '../delivery-wait.ts';
import { renderProgressBar, withProgress } from '../progress.ts';
import { renderFields } from '../render/table.ts';

interface TriggerManyOptions {
  readonly type: string;
  readonly count: number;
  readonly perSecond: number;
  /** How to wait for the deliveries to settle; undefined to not wait. */
  readonly wait: CommandWait | undefined;
}

/** Creates events with `create`, which gets numbers from 1, and prints a summary. */
export async function triggerMany(
  create: (number: number) => Promise<Event>,
  options: TriggerManyOptions,
  context: Context,
): Promise<ExitCode> {
  const { wait } = options;
  const control = await context.connect();
  const startedAt = performance.now();
  const created: Event[] = [];
  await createAll(create, created, options, context);
  const creationMs = performance.now() - startedAt;
  const [oldest] = created.toSorted(byId);
  let report: WaitReport | null = null;
  if (wait !== undefined && oldest !== undefined) {
    const { type, workspace_id, created_at: since } = oldest;
    report = await waitForDeliveries(control, { type, workspace_id, since, ...wait }, context);
  }
  const durationMs = performance.now() - startedAt;
  const deliveries = await listDeliveriesOf(created, control);

  const failing = deliveries.filter((delivery) => getDisplayStatus(delivery) === 'failing').length;
  const countOf = (...statuses: string[]) =>
    deliveries.filter(({ status }) => statuses.includes(status)).length;
  const summary = {
    events: created.length,
    deliveries: {
      succeeded: countOf('succeeded'),
      failed: countOf('failed', 'canceled'),
      pending: countOf('pending'),
    },
    duration_ms: Math.round(durationMs),
  };
  context.print(summary, () => {
    const { succeeded, failed, pending } = summary.deliveries;
    const rate = (created.length / creationMs) * SECOND_MS;
    const fields = {
      Events: `${created.length} in ${formatDuration(durationMs)}, created at ${formatRate(rate)}`,
      Deliveries: `${succeeded} succeeded, ${failing} failing, ${failed} failed, ${pending - failing} pending`,
    };
    return renderFields(fields, context.io);
  });
  if (deliveries.length === 0) explainNoDeliveries(options.type, context.io);
  if (report !== null && deliveries.length > 0)
    return explainWait(report, context) ? ExitCode.success : ExitCode.failure;
  hintToExplain(deliveries, context);
  return ExitCode.success;
}

async function createAll(
  create: (number: number) => Promise<Event>,
  created: Event[],
  { count, perSecond }: TriggerManyOptions,
  context: Context,
): Promise<void> {
  async function createOne(index: number): Promise<void> {
    created.push(await create(index + 1));
  }
  await withProgress(
    context,
    async () => `Creating ${renderProgressBar(created.length, count)}`,
    mapAtRate(createOne, { count, perSecond, signal: context.signal }),
  ).catch((error) => {
    if (created.length > 0) context.io.note(`Created ${created.length} of ${formatCount(count, 'event')}.`);
    throw error;
  });
}

/** IDs sort by creation time. */
function byId(a: Event, b: Event): number {
  return a.id < b.id ? -1 : 1;
}

/** Filters by type, workspace and time, so that few pages are needed. */
async function listDeliveriesOf(created: readonly Event[], control: ControlPlane): Promise<Delivery[]> {
  const [oldest] = created.toSorted(byId);
  if (oldest === undefined) return [];
  const { type, workspace_id, created_at: since } = oldest;
  const deliveries = await listAll((page) => control.listDeliveries({ ...page, type, workspace_id, since }));
  const ids = new Set(created.map(({ id }) => id));
  return deliveries.filter(({ event_id: id }) => ids.has(id));
}

function formatRate(perSecond: number): string {
  return `${perSecond < 10 ? perSecond.toFixed(1) : Math.round(perSecond)}/s`;
}
