/** Waits for deliveries, and reports what happened instead if they do not come. */
import * as v from 'valibot';
import { describeDelivery } from '../client/texts/describe-delivery.ts';
import { CHECK_INTERVAL_MS, type WaitCondition, type WaitResult, waitForDeliveries } from '../client/wait.ts';
import { listAll } from '../contract/control-plane.ts';
import type { Delivery } from '../contract/delivery-schemas.ts';
import type { WebhookDetail } from '../contract/resources.ts';
import { describeOutcome, type SettledStatus } from '../domain/delivery.ts';
import { formatDuration, SECOND_MS } from '../domain/duration.ts';
import { isSubscribedTo } from '../domain/event.ts';
import { formatCount, formatDeliveryCount } from '../domain/message-parts.ts';
import { SvcError } from '../errors.ts';
import { suggestEventType } from '../fixtures/event-fixtures.ts';
import { fixtureFolders } from '../fixtures/fixture-folders.ts';
import { wholeNumber } from '../validation/value-schemas.ts';
import {
  DEFAULT_TIMEOUT_MS,
  type Duration,
  OptionalBoolean,
  OptionalDuration,
  OptionalSettledStatus,
  type SchemasOf,
  toMs,
} from './argument-schemas.ts';
import type { WorkspaceSetup } from './workspace-setup.ts';

export interface WaitOptions {
  /** Status that the deliveries must reach (default: any except `pending`). */
  readonly status?: SettledStatus;
  /** Number of deliveries to wait for (default: all that match, at least one). */
  readonly count?: number;
  /** Real time to wait (default: 4 seconds). */
  readonly timeout?: Duration;
  /**
   * Whether to wait until the timeout although no delivery can settle before it (default: only with a `count`). For a wait that starts
   * long before the test moves the clock or enables the endpoint.
   */
  readonly keepWaiting?: boolean;
}

/** A wait rejects after about a second in which no delivery can settle, because the code that waits can be about to move the clock. */
const STALLED_CHECKS = SECOND_MS / CHECK_INTERVAL_MS;

export const WaitOptionsSchema = v.optional(
  v.strictObject({
    status: OptionalSettledStatus,
    count: v.optional(wholeNumber(1)),
    timeout: OptionalDuration,
    keepWaiting: OptionalBoolean,
  } satisfies SchemasOf<WaitOptions>),
);

/**
 * Waits until matching deliveries have settled. Existing deliveries count.
 * @returns the settled deliveries, newest first
 * @throws SvcError with a message that says what happened instead: `unexpected_status` as soon as a matching delivery settles with
 *   another status; `stalled` when for a second no delivery could settle before the timeout, unless there is a `count`; `timeout`,
 *   after a second for a mistyped type without events;
 *   `interrupted` when the emulator is closed
 */
export type DeliveryWait = (
  filter?: Omit<WaitCondition['filter'], 'workspace_id'>,
  options?: WaitOptions,
) => Promise<readonly Delivery[]>;

export function createDeliveryWait(setup: WorkspaceSetup): DeliveryWait {
  const { control, workspaceId, closing } = setup;
  return async (filter, { status, count, timeout = DEFAULT_TIMEOUT_MS, keepWaiting } = {}) => {
    const condition = { filter: { ...filter, workspace_id: workspaceId }, status, count };
    // Nothing of a mistyped type can arrive.
    const limitMs =
      keepWaiting !== true && (await findMeantType(condition, setup)) !== null ? SECOND_MS : Infinity;
    const timeoutMs = Math.min(toMs(timeout), limitMs);
    const result = await waitForDeliveries(control, condition, {
      timeoutMs,
      signal: closing,
      keepWaiting,
      stalledChecks: STALLED_CHECKS,
    });
    if (result.isMet) return result.matched;
    throw await createWaitError(setup, condition, result, timeoutMs);
  };
}

/** `Did you mean order.shipped?` for a type without a fixture and without events; null for any other. */
async function findMeantType(
  { filter: { type } }: WaitCondition,
  { control, workspaceId: workspace_id }: WorkspaceSetup,
): Promise<string | null> {
  const suggestion = type === undefined ? null : suggestEventType(type, fixtureFolders(process.cwd()));
  if (suggestion === null) return null;
  const { data } = await control.listEvents({ workspace_id, type, limit: 1 });
  return data.length === 0 ? suggestion : null;
}

/** Number of events, the newest ones, that a report considers. */
const EVENT_LIMIT = 100;
/** Number of logged requests, the newest ones, that a report considers: the largest page. */
const REQUEST_LIMIT = 1_000;
/** Maximum number of deliveries, events or endpoints in a report. */
const MAX_LINES = 10;

/** Reports the deliveries and events of a wait that failed, and the next step if one is clear. */
async function createWaitError(
  setup: WorkspaceSetup,
  condition: WaitCondition,
  result: WaitResult,
  timeoutMs: number,
): Promise<SvcError> {
  const clock = await setup.control.getClock({ workspace_id: setup.workspaceId });
  const context = { ...setup, condition, result, clock: { ...clock, at: Date.parse(clock.now) } };
  const [deliveries, events, hints] = await Promise.all([
    describeDeliveries(context),
    describeEvents(context),
    listHints(context),
  ]);
  const lines = [...deliveries, ...events, ...hints].map((line) => `  ${line}`);
  return new SvcError(
    result.mismatched.length > 0 ? 'unexpected_status' : result.isStalled ? 'stalled' : 'timeout',
    [toHeadline(condition, result, timeoutMs), ...lines].join('\n'),
  );
}

interface ReportContext extends WorkspaceSetup {
  readonly condition: WaitCondition;
  readonly result: WaitResult;
  readonly clock: { readonly at: number; readonly speed: number };
}

/** `0 of 2 deliveries of order.shipped succeeded within 4s.` */
function toHeadline({ filter, status, count }: WaitCondition, result: WaitResult, timeoutMs: number): string {
  const { type, event_id: event, webhook_id: webhook } = filter;
  const expectedCount =
    count ?? Math.max(1, result.waiting.length + result.matched.length + result.mismatched.length);
  const description = [
    ...(type === undefined ? [] : [`of ${type}`]),
    ...(event === undefined ? [] : [`of ${event}`]),
    ...(webhook === undefined ? [] : [`to ${webhook}`]),
    status ?? 'settled',
  ].join(' ');
  const [mismatched] = result.mismatched;
  const time = formatDuration(timeoutMs);
  const pausedCount = result.waiting.filter(({ paused }) => paused).length;
  const stall =
    result.waiting.length === 0
      ? 'no other is pending'
      : pausedCount === result.waiting.length
        ? `${pausedCount} ${pausedCount === 1 ? 'is' : 'are'} paused`
        : `no attempt is due within ${time}`;
  const limit = result.isStalled ? `: ${stall}` : ` within ${time}`;
  const end = mismatched === undefined ? limit : `: one ${mismatched.status}`;
  const total = formatDeliveryCount(expectedCount);
  return `${result.matched.length} of ${total} ${description}${end}.`;
}

async function describeDeliveries({ control, result, clock }: ReportContext): Promise<string[]> {
  const deliveries = [...result.mismatched, ...result.waiting];
  const details = await Promise.all(
    deliveries.slice(0, MAX_LINES).map(({ id }) => control.getDelivery({ id })),
  );
  const lines = details.flatMap((detail) => [
    describeDelivery(detail, clock.at),
    // A single attempt is already described by the line of its delivery.
    ...(detail.attempts.length === 1 ? [] : detail.attempts).map(
      (attempt) =>
        `  attempt ${attempt.number}: ${describeOutcome(attempt)} after ${formatDuration(attempt.duration_ms)}`,
    ),
  ]);
  const omittedCount = deliveries.length - MAX_LINES;
  if (omittedCount <= 0) return lines;
  return [...lines, `… and ${formatCount(omittedCount, 'more delivery', 'more deliveries')}.`];
}

/** Describes the events of the workspace if no delivery matches. */
async function describeEvents(context: ReportContext): Promise<string[]> {
  const { result, condition, control, workspaceId } = context;
  if (result.waiting.length + result.mismatched.length > 0 || condition.filter.event_id !== undefined)
    return [];
  const { type } = condition.filter;
  const { data: events } = await control.listEvents({ workspace_id: workspaceId, limit: EVENT_LIMIT });
  const matching = events.filter((event) => type === undefined || event.type === type);
  const undelivered = await Promise.all(
    matching.slice(0, MAX_LINES).map(async ({ id, type }) => {
      const { data } = await control.listDeliveries({ event_id: id, limit: 1 });
      return data.length === 0 ? [`${id} ${type} was created but has no delivery.`] : [];
    }),
  );
  const meantType = await findMeantType(condition, context);
  const otherTypes = [...new Set(events.map((event) => event.type))].filter((name) => name !== type);
  return [
    ...undelivered.flat(),
    ...(matching.length === 0
      ? [type === undefined ? 'No event was created.' : `No event of ${type} was created.`]
      : []),
    ...(meantType === null ? [] : [meantType]),
    ...(otherTypes.length === 0 || matching.length > 0
      ? []
      : [`Events of other types: ${otherTypes.join(', ')}.`]),
    ...(await describeRejectedRequests(context)),
  ];
}

/** Describes the requests to create events that the API rejected. */
export async function describeRejectedRequests({
  control,
  workspaceId,
}: Pick<WorkspaceSetup, 'control' | 'workspaceId'>): Promise<string[]> {
  const { data } = await control.listRequests({
    workspace_id: workspaceId,
    method: 'POST',
    path: '/v1/events',
    limit: REQUEST_LIMIT,
  });
  const rejected = data.filter(({ status }) => status >= 400);
  const responses = new Set(rejected.map(({ status, error_code: code }) => `${status} ${code}`));
  return [...responses].map((response) => `POST /v1/events was rejected: ${response}.`);
}

async function listHints(context: ReportContext): Promise<string[]> {
  const { control, workspaceId, result, condition } = context;
  const dueTimes = result.waiting.flatMap(({ next_attempt_at: at }) => (at === null ? [] : [Date.parse(at)]));
  const hints = [
    ...listPausedHints(result),
    ...(dueTimes.length > 0 ? listClockHints(Math.min(...dueTimes), context) : []),
  ];
  if (hints.length > 0) return hints;
  if (result.mismatched.length > 0) return [];
  const webhooks = await listAll((page) => control.listWebhooks({ ...page, workspace_id: workspaceId }));
  return listEndpointHints(webhooks, condition.filter.type);
}

function listPausedHints({ waiting }: WaitResult): string[] {
  const disabled = new Set(waiting.filter(({ paused }) => paused).map(({ webhook_id: id }) => id));
  return [...disabled].slice(0, MAX_LINES).map(toEnableHint);
}

function listClockHints(nextAt: number, { clock }: ReportContext): string[] {
  const remainingMs = nextAt - clock.at;
  if (remainingMs <= 0) return ['Wait longer, or check why the receiver has not responded yet.'];
  const duration = formatDuration(Math.ceil(remainingMs / 1000) * 1000);
  const clockState = clock.speed === 0 ? 'is frozen' : `runs at speed ${clock.speed}`;
  return [`Send the next attempt with clock.advance('${duration}'): the clock ${clockState}.`];
}

function listEndpointHints(webhooks: readonly WebhookDetail[], type: string | undefined): string[] {
  if (webhooks.length === 0) return ['Register an endpoint with webhooks.create({ url }): none exists.'];
  const enableHints = webhooks.filter(({ disabled }) => disabled).map(({ id }) => toEnableHint(id));
  if (type === undefined || webhooks.some(({ events }) => isSubscribedTo(events, type))) return enableHints;
  const subscriptions = webhooks.map(({ id, events }) => `${id} receives only ${events.join(', ')}`);
  return [
    `Subscribe an endpoint to ${type}: ${subscriptions.slice(0, MAX_LINES).join('; ')}.`,
    ...enableHints,
  ];
}

function toEnableHint(id: string): string {
  return `Enable ${id}, which is disabled: webhooks.update('${id}', { disabled: false }).`;
}
