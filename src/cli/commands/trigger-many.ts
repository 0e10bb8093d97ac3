/** `svc trigger --count`: creates many events of one type and prints a summary of their deliveries. */

import { countByStatus } from '../../diagnosis/describe-wait.ts';
import { formatDuration, SECOND_MS } from '../../domain/duration.ts';
import { ExitCode } from '../../domain/errors.ts';
import { formatCount } from '../../domain/message-parts.ts';
import type { ControlInput } from '../../operations/control-operations.ts';
import { type ControlPlane, listAll } from '../../operations/control-plane.ts';
import { mapAtRate } from '../../platform/map-at-rate.ts';
import type { Event } from '../../resources/event.ts';
import type { Context } from '../context.ts';
import { type CommandWait, explainNoDeliveries, explainWait, waitForDeliveries } from '../delivery-wait.ts';
import { renderProgressBar, withProgress } from '../progress.ts';
import { renderFields } from '../render/table.ts';

interface TriggerManyOptions {
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
  const [oldest] = created.toSorted((a, b) => a.created_at.localeCompare(b.created_at));
  if (oldest === undefined) return ExitCode.success;
  const { type, workspace_id, created_at: since } = oldest;
  const selection = await selectDeliveries(created, { type, workspace_id, since }, control);
  const report =
    selection === null
      ? null
      : await (wait === undefined
          ? control.waitForDeliveries({ ...selection, timeout_ms: 0, limit: 1 })
          : waitForDeliveries(control, { ...selection, ...wait }, context));
  const durationMs = performance.now() - startedAt;
  const { succeeded, failed, canceled, pending } = report?.counts ?? countByStatus([]);
  const summary = {
    events: created.length,
    deliveries: { succeeded, failed: failed + canceled, pending },
    duration_ms: Math.round(durationMs),
  };
  context.print(summary, () => {
    const rate = (created.length / creationMs) * SECOND_MS;
    const fields = {
      Events: `${created.length} in ${formatDuration(durationMs)}, created at ${formatRate(rate)}`,
      Deliveries: `${succeeded} succeeded, ${failed + canceled} failed, ${pending} pending`,
    };
    return renderFields(fields, context.io);
  });
  if (report === null) explainNoDeliveries(type, context.io);
  if (report === null || wait === undefined) return ExitCode.success;
  return explainWait(report, context) ? ExitCode.success : ExitCode.failure;
}

/**
 * Selects the deliveries of the created events; null if there are none. `filter` can also match others: of earlier
 * events while the schedule clock is frozen, or of another program. Only then are IDs used, of which a wait accepts 100,000.
 */
async function selectDeliveries(
  created: readonly Event[],
  filter: ControlInput<'waitForDeliveries'>,
  control: Pick<ControlPlane, 'listDeliveries'>,
): Promise<ControlInput<'waitForDeliveries'> | null> {
  const eventIds = new Set(created.map(({ id }) => id));
  let matchCount = 0;
  const ids = await listAll(async (page) => {
    const { data, ...rest } = await control.listDeliveries({ ...filter, ...page });
    matchCount += data.length;
    return { ...rest, data: data.filter((each) => eventIds.has(each.event_id)).map(({ id }) => id) };
  });
  if (ids.length === 0) return null;
  return ids.length === matchCount ? filter : { ids };
}

async function createAll(
  create: (number: number) => Promise<Event>,
  created: Event[],
  { count, perSecond }: TriggerManyOptions,
  context: Context,
): Promise<void> {
  const createOne = async (index: number) => void created.push(await create(index + 1));
  await withProgress(
    context,
    async () => `Creating ${renderProgressBar(created.length, count)}`,
    mapAtRate(createOne, { count, perSecond, signal: context.signal }),
  ).catch((error) => {
    if (created.length > 0) context.io.note(`Created ${created.length} of ${formatCount(count, 'event')}.`);
    throw error;
  });
}

function formatRate(perSecond: number): string {
  return `${perSecond < 10 ? perSecond.toFixed(1) : Math.round(perSecond)}/s`;
}
