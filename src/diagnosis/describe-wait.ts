/** Why a wait for deliveries ended, and what to do next: the text that the commands, the library and MCP print. */

import { type DeliveryStatus, getDisplayStatus, type SettledStatus } from '../domain/delivery.ts';
import { formatDuration, formatSpan, SECOND_MS } from '../domain/duration.ts';
import type { Hint } from '../domain/errors.ts';
import { isSubscribedTo } from '../domain/event.ts';
import { formatDeliveryCount } from '../domain/message-parts.ts';
import type { ClockMove } from '../operations/emulator-schemas.ts';
import type { WaitReport } from '../operations/wait-schemas.ts';
import type { Delivery } from '../resources/delivery.ts';
import type { WebhookDetail } from '../resources/endpoint.ts';
import type { ApiRequest } from '../resources/request.ts';

/** Deliveries with the same workspace, status and endpoint. */
export interface DeliveryGroup {
  readonly workspace_seq: number;
  readonly status: DeliveryStatus;
  readonly webhook_id: string;
  /** Whether the endpoint is disabled. */
  readonly disabled: 0 | 1;
  readonly count: number;
  /** The earliest due time in schedule time, milliseconds since 1970; null after they have settled. */
  readonly due_at: number | null;
}

/** What a wait asks for. */
export interface WaitCondition {
  /** Default: any except pending. */
  readonly status?: SettledStatus | undefined;
  /** Default: all that match, at least one. */
  readonly count?: number | undefined;
  /** Whether to wait for attempts that are due later. */
  readonly retries: boolean;
}

export function countByStatus(groups: readonly DeliveryGroup[]): Record<DeliveryStatus, number> {
  const counts = { pending: 0, succeeded: 0, failed: 0, canceled: 0 };
  for (const { status, count } of groups) counts[status] += count;
  return counts;
}

/**
 * Whether a wait is over.
 * @param nowOf schedule time of a workspace
 * @returns null while it continues
 */
export function decideWait(
  groups: readonly DeliveryGroup[],
  { status, count, retries }: WaitCondition,
  nowOf: (workspaceSeq: number) => number,
): 'settled' | 'unexpected_status' | null {
  const { pending, ...settled } = countByStatus(groups);
  const total = settled.succeeded + settled.failed + settled.canceled;
  const matched = status === undefined ? total : settled[status];
  if (matched < total) return 'unexpected_status';
  const isDue = ({ workspace_seq: seq, due_at: at }: DeliveryGroup) => at !== null && at <= nowOf(seq);
  if (!retries) return groups.some(isDue) ? null : 'settled';
  const isMet = count === undefined ? pending === 0 && matched > 0 : matched >= count;
  return isMet ? 'settled' : null;
}

/** The attempt of several deliveries that is due first. */
export interface NextAttempt {
  readonly workspaceId: string;
  readonly isDefaultWorkspace: boolean;
  /** Schedule time until then, in milliseconds. */
  readonly inMs: number;
  /** Speed of the clock; 0 while it is frozen. */
  readonly speed: number;
}

/** A wait that has ended. A delivery matches it. */
export interface EndedWait extends Pick<WaitCondition, 'status' | 'count'> {
  readonly reason: WaitReport['reason'];
  readonly timeoutMs: number;
  readonly counts: Readonly<Record<DeliveryStatus, number>>;
  /** The newest deliveries that settled with another status (default: without success), then those that are pending or whose replay failed. */
  readonly others: readonly Delivery[];
  /** Null if no attempt is scheduled, because all pending deliveries are paused. */
  readonly next: NextAttempt | null;
  readonly paused: PausedDeliveries;
}

type WaitText = Pick<WaitReport, 'message' | 'hint'>;

export function describeWait(wait: EndedWait): WaitText {
  const { reason, counts, others, paused, next, timeoutMs } = wait;
  const time = formatDuration(timeoutMs);
  const [other] = others;
  const failed = other === undefined ? null : { text: 'Show why', command: `svc explain ${other.id}` };
  if (reason === 'settled') return { message: null, hint: failed };
  if (reason === 'unexpected_status')
    return { message: `${other?.id} is ${other?.status}, not ${wait.status}.`, hint: failed };
  if (counts.pending === 0) {
    const settled = counts.succeeded + counts.failed + counts.canceled;
    return {
      message: `Only ${settled} of ${formatDeliveryCount(wait.count ?? 1)} settled within ${time}.`,
      hint: null,
    };
  }
  if (next === null) return { message: describePaused(paused), hint: suggestEnable(paused) };
  const pending = formatDeliveryCount(counts.pending);
  const dueIn = formatSpan(Math.max(next.inMs, SECOND_MS), 2);
  const pace =
    next.speed === 1 ? '' : `, ${next.speed === 0 ? 'and the clock is frozen' : `at speed ${next.speed}`}`;
  const message =
    reason === 'stalled'
      ? `${pending} cannot settle within ${time}: the next attempt is due in ${dueIn}${pace}.`
      : `${pending} ${counts.pending === 1 ? 'has' : 'have'} not settled after ${time}.`;
  return {
    message: paused.length === 0 ? message : `${message} ${describePaused(paused)}`,
    hint: suggestNext(wait, next),
  };
}

/** The start of a hint. The library says which call does it. */
export const MOVE_CLOCK = 'Move the clock to the next attempt';

function suggestNext({ reason, others }: EndedWait, next: NextAttempt): Hint {
  const failing = others.find((delivery) => getDisplayStatus(delivery) === 'failing');
  if (next.inMs > 0 && failing !== undefined) {
    return { text: `${MOVE_CLOCK}, or show why`, command: `svc explain ${failing.id}` };
  }
  if (reason !== 'stalled') {
    return {
      text: 'Wait longer, or list what is pending',
      command: 'svc deliveries list --status pending',
    };
  }
  const workspace = next.isDefaultWorkspace ? '' : ` --workspace ${next.workspaceId}`;
  return { text: MOVE_CLOCK, command: `svc clock next${workspace}` };
}

/** What is known about a wait that no delivery matches. */
export interface EmptyWait {
  readonly timeoutMs: number;
  readonly type: string | undefined;
  /** `Did you mean order.shipped?` if the type is probably mistyped. */
  readonly suggestion: string | null;
  /** Types of the newest events of the workspace. */
  readonly eventTypes: ReadonlySet<string>;
  /** The newest event that the wait asks for and that has no delivery. */
  readonly undelivered: { readonly id: string; readonly type: string } | undefined;
  /** The result of {@link findRejections}. */
  readonly rejections: ReadonlySet<string>;
  readonly endpoints: readonly Pick<WebhookDetail, 'id' | 'events' | 'disabled'>[];
}

/** `422 validation_failed`: the failed responses to requests to create an event in a workspace, or in none: with an invalid key or one for all workspaces. */
export function findRejections(
  requests: readonly Pick<ApiRequest, 'status' | 'error_code' | 'workspace_id'>[],
  workspaceId: string,
): ReadonlySet<string> {
  const rejected = requests.filter(({ workspace_id: id }) => id === null || id === workspaceId);
  return new Set(rejected.map(({ status, error_code: code }) => `${status} ${code}`));
}

export function describeRejections(rejections: ReadonlySet<string>): string[] {
  return [...rejections].map((response) => `POST /v1/events was rejected: ${response}.`);
}

export function describeEmptyWait(wait: EmptyWait): WaitText & Pick<WaitReport, 'details'> {
  const { timeoutMs, type, suggestion, eventTypes, undelivered, rejections } = wait;
  const details = describeRejections(rejections);
  if (undelivered !== undefined) {
    const { id, type } = undelivered;
    details.unshift(
      `${id} has no deliveries: no enabled endpoint subscribed to ${type} when it was created.`,
    );
  } else if (type === undefined ? eventTypes.size === 0 : !eventTypes.has(type)) {
    if (eventTypes.size > 0) details.unshift(`Events of other types: ${[...eventTypes].join(', ')}.`);
    if (suggestion !== null) details.unshift(suggestion);
    details.unshift(`No event${type === undefined ? '' : ` of ${type}`} was created.`);
  }
  return {
    message: `No delivery matched within ${formatDuration(timeoutMs)}.`,
    details,
    hint: suggestEndpoint(wait.endpoints, type ?? undelivered?.type),
  };
}

function suggestEndpoint(endpoints: EmptyWait['endpoints'], type: string | undefined): Hint {
  const [first] = endpoints;
  if (first === undefined) {
    const command = `svc webhooks create --url URL${type === undefined ? '' : ` --events ${type}`}`;
    return { text: 'Register an endpoint: none exists', command };
  }
  const subscribed = endpoints.filter(({ events }) => type === undefined || isSubscribedTo(events, type));
  if (subscribed.length === 0) {
    const command = `svc webhooks update ${first.id} --events ${[...first.events, type].join(',')}`;
    return { text: `Subscribe an endpoint to ${type}`, command };
  }
  if (subscribed.some(({ disabled }) => !disabled))
    return { text: 'List the endpoints and their event types', command: 'svc webhooks list' };
  return suggestEnable(subscribed.map(({ id }) => ({ webhook_id: id, deliveries: 0 })));
}

/** Deliveries to disabled endpoints (gap `delivery.paused`). */
export type PausedDeliveries = ClockMove['paused'];

/** Maximum number of endpoints that a message lists. */
const MAX_ENDPOINTS = 5;

/** `2 deliveries are paused: wh_… is disabled.` */
export function describePaused(paused: PausedDeliveries): string {
  const count = paused.reduce((sum, { deliveries }) => sum + deliveries, 0);
  const ids = paused.slice(0, MAX_ENDPOINTS).map(({ webhook_id: id }) => id);
  if (paused.length > ids.length) ids.push(`… and ${paused.length - ids.length} more`);
  const isOrAre = (number: number) => (number === 1 ? 'is' : 'are');
  return `${formatDeliveryCount(count)} ${isOrAre(count)} paused: ${ids.join(', ')} ${isOrAre(paused.length)} disabled.`;
}

/** The command that enables the endpoints, or the first of many. */
export function suggestEnable(paused: PausedDeliveries): Hint {
  const shown = paused.slice(0, MAX_ENDPOINTS);
  const which = paused.length === 1 ? 'it' : paused.length === shown.length ? 'them' : 'the first of them';
  const commands = shown.map(({ webhook_id: id }) => `svc webhooks update ${id} --enable`);
  return { text: `Enable ${which}`, command: commands.join('; ') };
}
