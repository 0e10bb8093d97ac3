/** Badges for statuses and results, and counts of them. */
import type { ComponentChildren } from 'preact';
import {
  type DeliveryStatusFilter,
  type DisplayStatus,
  deliveryStatusSymbols,
  describeOutcome,
  displayStatuses,
  MAX_DELIVERY_COUNT,
} from '../../domain/delivery.ts';
import { capitalize } from '../../domain/message-parts.ts';
import type { AttemptSummary } from '../../resources/attempt.ts';
import { describeFilterValue } from '../filters.ts';
import { Icon } from './icon.tsx';

interface StatusProps {
  readonly status: DisplayStatus;
  /** Number of deliveries with this status, for a badge that stands for several. */
  readonly count?: number;
}

/** Why a delivery has a status that its name does not explain. */
const statusTitles: Partial<Record<DisplayStatus, string>> = {
  failing: 'The last attempt failed. A retry is scheduled.',
  pending: 'Waiting to be sent',
  paused: 'The endpoint is disabled',
};

/** A filter by pending deliveries includes those whose badges say failing or paused. */
export const statusGroupTitles: Partial<Record<DeliveryStatusFilter, string>> = {
  ...statusTitles,
  pending: 'Failing, paused, or waiting to be sent',
  unsuccessful: 'Failing or failed',
};

/** The status of a row in a list, as an icon. */
export function StatusIcon({ status }: Pick<StatusProps, 'status'>) {
  return (
    <span data-state={status} role="img" aria-label={status} title={statusTitles[status] ?? status}>
      {deliveryStatusSymbols[status]}
    </span>
  );
}

interface BadgeProps {
  /** A status, which also has a symbol, or only a color. */
  readonly state: DisplayStatus | 'warning' | 'highlighted' | 'neutral';
  readonly title?: string | undefined;
  readonly children: ComponentChildren;
}

export function Badge({ state, title, children }: BadgeProps) {
  const symbol = Object.hasOwn(deliveryStatusSymbols, state) && deliveryStatusSymbols[state as DisplayStatus];
  return (
    <span class="badge" data-state={state} title={title}>
      {symbol && <span aria-hidden="true">{symbol} </span>}
      {children}
    </span>
  );
}

export function StatusBadge({ status, count }: StatusProps) {
  return (
    <Badge state={status} title={statusTitles[status]}>
      {count} <span>{status}</span>
    </Badge>
  );
}

const numberFormat = new Intl.NumberFormat('en');

/** A count of the control plane: `187`, or `1,000+` if it may be higher. */
export function formatCappedCount(count: number): string {
  return `${numberFormat.format(count)}${count === MAX_DELIVERY_COUNT ? '+' : ''}`;
}

interface StatusFilterProps {
  readonly status: DeliveryStatusFilter;
  /** Undefined while it is unknown. */
  readonly count?: number | undefined;
}

/** The text of a button or link that filters by a status: `Failing 187` */
export function StatusFilter({ status, count }: StatusFilterProps) {
  return (
    <>
      {capitalize(describeFilterValue('status', status))}{' '}
      <span data-state={count === 0 ? 'neutral' : status}>
        {count !== undefined && formatCappedCount(count)}
      </span>
    </>
  );
}

/** `✗ 1 failed ✓ 2 succeeded` */
export function DeliveryCounts({ countOf }: { readonly countOf: (status: DisplayStatus) => number }) {
  return displayStatuses
    .filter((status) => countOf(status) > 0)
    .map((status) => [<StatusBadge key={status} status={status} count={countOf(status)} />, ' ']);
}

/** Whether a request succeeded. 0 is the status of a request that an injected fault dropped. */
export function toRequestState(status: number): DisplayStatus {
  return status !== 0 && status < 400 ? 'succeeded' : 'failed';
}

/** Marks what a fault has changed that the user injected. */
export function InjectedFault({ kind }: { readonly kind: string }) {
  return (
    <span
      data-state="pending"
      role="img"
      aria-label={`injected fault: ${kind}`}
      title={`Injected fault: ${kind}`}
    >
      <Icon name="bolt" />
    </span>
  );
}

/** `✓ 200`, `✗ 503`, `✗ timed out` */
export function OutcomeBadge(attempt: Pick<AttemptSummary, 'outcome' | 'response_status' | 'error'>) {
  const state = attempt.outcome === 'succeeded' ? 'succeeded' : 'failed';
  return <Badge state={state}>{describeOutcome(attempt)}</Badge>;
}
