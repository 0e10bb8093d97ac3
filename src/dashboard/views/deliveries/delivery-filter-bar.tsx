/** The filters of the delivery list. */
import type { ComponentChildren } from 'preact';
import { displayStatuses } from '../../../domain/delivery.ts';
import { WILDCARD_SUBSCRIPTION } from '../../../domain/event.ts';
import { control } from '../../control.ts';
import { updateQuery } from '../../router.ts';
import { workspaceId } from '../../session.ts';
import { FilterBar, FilterInput, FilterSelect, SearchField } from '../../ui/filter-bar.tsx';
import { Icon } from '../../ui/icon.tsx';
import { PeriodFields } from '../../ui/period-fields.tsx';
import { useEventTypes } from '../../use-event-types.ts';
import { useQuery } from '../../use-query.ts';
import { openBulkReplayDialog } from '../replay/replay-request.ts';
import { type DeliveryFilter, toListInput } from './delivery-filter.ts';

interface Props {
  readonly filter: DeliveryFilter;
  /** Further controls next to the search field. */
  readonly children: ComponentChildren;
}

export function DeliveryFilterBar({ filter, children }: Props) {
  return (
    <FilterBar
      filter={{ ...filter }}
      search={
        <SearchField
          name="text"
          label="Search"
          value={filter.text}
          placeholder="Search IDs, types, URLs, bodies"
        />
      }
      quick={<StatusButtons selected={filter.status} />}
      fields={<FilterFields filter={filter} />}
      action={
        <button
          type="button"
          onClick={() => openBulkReplayDialog({ workspace_id: workspaceId.value, ...toListInput(filter) })}
        >
          <Icon name="replay" /> Replay all matches
        </button>
      }
    >
      {children}
    </FilterBar>
  );
}

function StatusButtons({ selected }: { readonly selected: string | undefined }) {
  return (
    <fieldset class="deliveries-statuses">
      <legend class="visually-hidden">Status</legend>
      {[undefined, ...displayStatuses].map((status) => (
        <button
          key={status}
          type="button"
          aria-pressed={status === selected}
          onClick={() => updateQuery({ status: status ?? '' })}
        >
          {status ?? 'all'}
        </button>
      ))}
    </fieldset>
  );
}

function FilterFields({ filter }: Pick<Props, 'filter'>) {
  const workspace = workspaceId.value;
  const { value: endpoints } = useQuery(
    () => control.listWebhooks({ workspace_id: workspace, limit: 1000 }),
    [workspace],
  );
  const subscribedTypes =
    endpoints?.data.flatMap(({ events }) => events.filter((type) => type !== WILDCARD_SUBSCRIPTION)) ?? [];
  const types = [...new Set([...useEventTypes(), ...subscribedTypes])].sort();
  return (
    <>
      <FilterInput name="type" label="Type" value={filter.type} suggestions={types} />
      <FilterSelect name="webhook" label="Endpoint" value={filter.webhook}>
        {endpoints?.data.map(({ id, url }) => (
          <option key={id} value={id}>
            {url}
          </option>
        ))}
      </FilterSelect>
      <PeriodFields since={filter.since} until={filter.until} />
    </>
  );
}
