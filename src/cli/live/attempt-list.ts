/** The list of attempts in a live view: one row per attempt, and one for a delivery whose first attempt is in progress. */

import type { ControlPlane } from '../../contract/control-plane.ts';
import type { Attempt, Delivery } from '../../contract/delivery-schemas.ts';
import type { ClockState, EmulatorStatus } from '../../contract/emulator-schemas.ts';
import type { TopicItem } from '../../contract/stream-schemas.ts';
import { extrapolateScheduleTime } from '../../domain/clock.ts';
import { describeOutcome } from '../../domain/delivery.ts';
import { formatDuration, formatRelative } from '../../domain/duration.ts';
import { fetchActiveFaultIds } from '../active-faults.ts';
import type { Context } from '../context.ts';
import type { TerminalCapabilities } from '../process-context.ts';
import { renderDelivery } from '../render/deliveries.ts';
import { formatTimeOfDay } from '../render/format.ts';
import { styleFor } from '../render/style.ts';
import type { Column } from '../render/table.ts';
import { fetchScheduleTimes } from '../schedule-time.ts';
import type { LiveList } from './live-view.ts';

/** Fields of an attempt in a row. Request and response can be large, so they are fetched for the details. */
type AttemptInRow = Pick<
  Attempt,
  'number' | 'trigger' | 'duration_ms' | 'outcome' | 'response_status' | 'error' | 'fault'
>;

export interface AttemptRow {
  /** Wall time of the attempt, or of the first update of the delivery. */
  readonly at: string;
  /** As the last update reported it. */
  readonly delivery: Delivery;
  /** Null while the first attempt is in progress. */
  readonly attempt: AttemptInRow | null;
}

/** The current schedule time of a workspace. */
interface ScheduleTime {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly frozen: boolean;
}

/** Data for rendering that the rows do not contain. */
interface AttemptRenderContext {
  /** Number of attempts of the retry schedule. */
  readonly maxAttempts: number;
  /** Null until the control plane has returned it. */
  getScheduleTime(workspaceId: string): ScheduleTime | null;
}

export type AttemptControl = Pick<ControlPlane, 'getClock' | 'getDelivery' | 'listFaults' | 'replayDelivery'>;

export function createAttemptList(
  control: AttemptControl,
  { dashboard_url, max_attempts }: Pick<EmulatorStatus, 'dashboard_url' | 'max_attempts'>,
  heading: string,
  context: Context,
): LiveList<AttemptRow> {
  const clocks = new Map<string, { readonly clock: ClockState; readonly receivedAt: number }>();

  /** The schedule time, extrapolated since the last refresh. */
  function getScheduleTime(workspaceId: string): ScheduleTime | null {
    const response = clocks.get(workspaceId);
    if (response === undefined) return null;
    const { clock, receivedAt } = response;
    const now = extrapolateScheduleTime(clock, performance.now() - receivedAt);
    return { now, frozen: clock.speed === 0 };
  }

  return {
    heading,
    empty: 'No attempts yet. Create an event in another terminal with: svc trigger order.shipped',
    applyItem: addStreamItem,
    columns: (capabilities) => attemptColumns(capabilities, { maxAttempts: max_attempts, getScheduleTime }),
    async refresh(rows) {
      const rowsWithRetry = rows.filter(({ delivery }) => delivery.next_attempt_at !== null);
      const workspaceIds = new Set(rowsWithRetry.map(({ delivery }) => delivery.workspace_id));
      const requests = Array.from(workspaceIds, async (workspace_id) => {
        const clock = await control.getClock({ workspace_id });
        clocks.set(workspace_id, { clock, receivedAt: performance.now() });
      });
      await Promise.all(requests);
    },
    async describe({ delivery: { id }, attempt }) {
      const delivery = await control.getDelivery({ id });
      const scheduleTimeOf = await fetchScheduleTimes([delivery], control, context);
      const attempts = delivery.attempts.filter(({ number }) => number === attempt?.number);
      const activeFaultIds = await fetchActiveFaultIds({ attempts }, control);
      return renderDelivery({ ...delivery, attempts }, scheduleTimeOf(delivery), {
        ...context,
        activeFaultIds,
      });
    },
    async replay({ delivery: { id } }) {
      await control.replayDelivery({ id });
      return `Replaying ${id}.`;
    },
    toUrl: ({ delivery }) => `${dashboard_url}#/deliveries/${delivery.id}`,
  };
}

/** The rows after an item of the live stream; `now` is wall time in milliseconds since 1970. */
export function addStreamItem(
  rows: readonly AttemptRow[],
  item: TopicItem,
  now: number,
): readonly AttemptRow[] {
  if (!('delivery' in item)) return rows;
  const { delivery } = item;
  const updatedRows = rows.map((row) => (row.delivery.id === delivery.id ? { ...row, delivery } : row));
  if (item.type === 'delivery') {
    const isNew = delivery.status === 'pending' && delivery.attempt_count === 0;
    return isNew
      ? [...updatedRows, { at: new Date(now).toISOString(), delivery, attempt: null }]
      : updatedRows;
  }
  const { number, trigger, duration_ms, outcome, response_status, error, fault, sent_at: at } = item.attempt;
  const attempt = { number, trigger, duration_ms, outcome, response_status, error, fault };
  const row = { at, delivery, attempt };
  const inProgress = updatedRows.findIndex(
    ({ delivery: { id }, attempt }) => id === delivery.id && attempt === null,
  );
  return inProgress < 0 ? [...updatedRows, row] : updatedRows.with(inProgress, row);
}

export function attemptColumns(
  capabilities: TerminalCapabilities,
  renderContext: AttemptRenderContext,
): readonly Column<AttemptRow>[] {
  const [sent, received] = capabilities.unicode ? ['→', '←'] : ['->', '<-'];
  return [
    // Without milliseconds.
    { title: 'TIME', value: ({ at }) => formatTimeOfDay(at).slice(0, 'hh:mm:ss'.length), hideOrder: 5 },
    { title: 'EVENT', value: ({ delivery }) => `${sent} ${delivery.event_type}`, canTruncate: true },
    { title: 'RESPONSE', value: (row) => `${received} ${renderResponse(row, capabilities)}` },
    {
      title: 'TOOK',
      value: ({ attempt }) => (attempt ? formatDuration(attempt.duration_ms) : ''),
      hideOrder: 4,
    },
    { title: 'ATTEMPT', value: (row) => describeAttempt(row, renderContext.maxAttempts), hideOrder: 6 },
    { title: 'NEXT RETRY', value: (row) => describeNextRetry(row, renderContext) },
    { title: 'DELIVERY', value: ({ delivery }) => delivery.id, hideOrder: 3 },
    { title: 'WHY', value: describeFailure, hideOrder: 2, canTruncate: true },
    { title: 'URL', value: ({ delivery }) => delivery.url, hideOrder: 1, canTruncate: true },
  ];
}

function renderResponse({ attempt, delivery }: AttemptRow, capabilities: TerminalCapabilities): string {
  const style = styleFor(capabilities);
  if (attempt === null) return style.dim(delivery.status === 'pending' ? '…' : delivery.status);
  return (attempt.outcome === 'succeeded' ? style.green : style.red)(describeOutcome(attempt));
}

function describeAttempt({ attempt }: AttemptRow, maxAttempts: number): string {
  if (attempt === null) return `1 of ${maxAttempts}`;
  return attempt.trigger === 'manual' ? `${attempt.number} replay` : `${attempt.number} of ${maxAttempts}`;
}

/** Why there is no response, and which fault was injected. */
function describeFailure({ attempt }: AttemptRow): string {
  const error = attempt?.response_status === null ? attempt.error : null;
  return [attempt?.fault && `(fault ${attempt.fault.kind})`, error].filter(Boolean).join(' ');
}

/** Shown only in the row of the newest attempt of a delivery. */
function describeNextRetry(
  { attempt, delivery }: AttemptRow,
  { getScheduleTime }: AttemptRenderContext,
): string {
  if (attempt === null || attempt.number !== delivery.attempt_count) return '';
  if (delivery.status !== 'pending') return delivery.status === 'succeeded' ? '' : delivery.status;
  const time = getScheduleTime(delivery.workspace_id);
  if (delivery.next_attempt_at === null || time === null) return '';
  if (Date.parse(delivery.next_attempt_at) <= time.now) return 'now';
  return formatRelative(delivery.next_attempt_at, time.now) + (time.frozen ? ' (frozen)' : '');
}
