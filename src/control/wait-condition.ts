/** A wish that somebody waits for: deliveries of some kind, so many of them, in a certain state. */
import type { ControlInput } from '../contract/control-operations.ts';
import type { Delivery } from '../contract/delivery-schemas.ts';
import type { DeliveryStatus } from '../domain/delivery.ts';
import { parseDuration } from '../domain/duration.ts';
import type { ControlPlane } from './control-plane.ts';
import { listAll } from './list-all.ts';
import {
  areAllOpenPaused,
  isPending,
  trackDeliveries,
  type WaitCounts,
  type WaitOptions,
  type WaitState,
} from './wait.ts';

export type SettledStatus = Exclude<DeliveryStatus, 'pending'>;

export interface WaitCondition {
  readonly filter: Pick<
    ControlInput<'listDeliveries'>,
    'workspace_id' | 'event_id' | 'type' | 'webhook_id' | 'text' | 'since'
  >;
  /** The state that they are to come to; any but pending when left out. */
  readonly status?: SettledStatus | undefined;
  /** How many; when left out all that match, and at least one. */
  readonly count?: number | undefined;
}

/** How a wait ended. Lists are newest first. */
export interface WaitResult extends Readonly<Record<WaitState, readonly Delivery[]>> {
  readonly isMet: boolean;
  /** Whether the wish is not granted because every open delivery is paused. */
  readonly isPaused: boolean;
  /** All that match. */
  readonly deliveries: readonly Delivery[];
}

/**
 * Waits until the wish is granted, until one that matches has settled otherwise, until all that are left are paused, or
 * until the time is over. Counts what matches already and what is made meanwhile. With a `count`, paused deliveries do
 * not end it: others may still come.
 * @throws SvcError `interrupted`
 */
export async function waitForDeliveries(
  control: Pick<ControlPlane, 'stream' | 'listDeliveries' | 'getClock'>,
  { filter, status, count }: WaitCondition,
  waitOptions: WaitOptions,
): Promise<WaitResult> {
  const { since, ...selection } = filter;
  const sinceAt = since === undefined ? null : await resolveSince(since, filter, control);
  const from = sinceAt === null ? {} : { since: new Date(sinceAt).toISOString() };
  const judge = (delivery: Delivery) => classifyBy(delivery, status);
  const isGranted = ({ open, done, wrong }: WaitCounts) =>
    wrong === 0 && (count === undefined ? open === 0 && done > 0 : done >= count);
  const isPaused = (counts: WaitCounts) => count === undefined && counts.open > 0 && areAllOpenPaused(counts);
  const seen = await trackDeliveries(
    control,
    {
      filter: selection,
      list: () => listAll((page) => control.listDeliveries({ ...page, ...selection, ...from })),
      includes: ({ created_at: at }) => sinceAt === null || Date.parse(at) >= sinceAt,
      classify: judge,
      isDone: (counts) => counts.wrong > 0 || isGranted(counts) || isPaused(counts),
    },
    waitOptions,
  );
  const deliveries = seen.sort((a, b) => (a.id < b.id ? 1 : -1));
  const standing = (wanted: WaitState) => deliveries.filter((delivery) => judge(delivery) === wanted);
  const [open, done, wrong] = [standing('open'), standing('done'), standing('wrong')];
  const paused = open.filter((delivery) => delivery.paused).length;
  const counts = { open: open.length, done: done.length, wrong: wrong.length, paused };
  return { ...{ deliveries, open, done, wrong }, isMet: isGranted(counts), isPaused: isPaused(counts) };
}

function classifyBy(delivery: Delivery, wanted: DeliveryStatus | undefined): WaitState {
  if (isPending(delivery)) return 'open';
  return wanted === undefined || delivery.status === wanted ? 'done' : 'wrong';
}

/** A time, or a duration before now by the schedule clock that stamps deliveries, in milliseconds since 1970. */
async function resolveSince(
  since: string,
  { workspace_id: workspace }: WaitCondition['filter'],
  control: Pick<ControlPlane, 'getClock'>,
): Promise<number> {
  const before = parseDuration(since);
  if (before === null) return Date.parse(since);
  const { now } = await control.getClock(workspace === undefined ? {} : { workspace_id: workspace });
  return Date.parse(now) - before;
}
