/** Active faults, each with how often it was applied. */
import type { ComponentChildren } from 'preact';
import { getDeliveryFault, isFaultActive } from '../../../domain/fault.ts';
import { describeAppliedCount, describeEffect, type Fault } from '../../../resources/fault.ts';
import { shortenUrl } from '../../address.ts';
import { control } from '../../control.ts';
import { status } from '../../session.ts';
import { withErrorToast } from '../../toasts.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { MAX_PAGE_SIZE } from '../../use-live-list.ts';
import { type Query, useQuery } from '../../use-query.ts';

interface Props {
  readonly query: Query<readonly Fault[]>;
  readonly emptyText?: ComponentChildren;
  /** URLs of endpoints by ID, to name them. */
  readonly endpointUrls?: ReadonlyMap<string, string>;
}

export function FaultList({ query, emptyText, endpointUrls }: Props) {
  return (
    <QueryView query={query} what="faults">
      {(faults) =>
        faults.length === 0 ? (
          <p class="muted">{emptyText}</p>
        ) : (
          <ul class="list">
            {faults.map((fault) => (
              <Row key={fault.id} fault={fault} endpointUrl={endpointUrls?.get(fault.webhook_id ?? '')} />
            ))}
          </ul>
        )
      }
    </QueryView>
  );
}

export async function removeFaults(faults: readonly Fault[]): Promise<void> {
  await withErrorToast(Promise.all(faults.map(({ id }) => control.clearFaults({ id }))));
}

function Row({ fault, endpointUrl }: { readonly fault: Fault; readonly endpointUrl: string | undefined }) {
  const effect = describeEffect(fault);
  return (
    <li class="row">
      <p>
        <strong>{effect}</strong>
        <small>
          {fault.kind !== undefined && `${getDeliveryFault(fault.kind).description} · `}
          {describeScope(fault)}
          {endpointUrl !== undefined && ` to ${shortenUrl(endpointUrl)}`}
        </small>
      </p>
      <span>applied {describeAppliedCount(fault)}</span>
      <ActionButton
        data-variant="quiet"
        aria-label={`Remove fault ${effect}`}
        onClick={() => void removeFaults([fault])}
      >
        <Icon name="trash" /> Remove
      </ActionButton>
    </li>
  );
}

function describeScope({ on, method, path, api_key_id: key, type, webhook_id: webhook }: Fault): string {
  if (on === 'request') return [method, path, key].filter(Boolean).join(' ') || 'every request';
  return [type ?? 'all event types', ...(webhook === undefined ? ['all endpoints'] : [])].join(', ');
}

/** The faults that can still be applied and that `isRelevant` selects, newest first, live. */
export function useFaults(isRelevant: (fault: Fault) => boolean): Query<readonly Fault[]> {
  const query = useQuery(() => control.listFaults({ limit: MAX_PAGE_SIZE }), [status.value?.started_at], {
    isLive: true,
  });
  return { ...query, value: query.value?.data.filter((fault) => isFaultActive(fault) && isRelevant(fault)) };
}
