/** What the list of deliveries is narrowed to. All of it lives in the address. */
import type { ComponentChildren } from 'preact';
import { deliveryStatuses } from '../../../domain/delivery.ts';
import { WILDCARD } from '../../../domain/event.ts';
import { useAsked } from '../../asked.ts';
import { control } from '../../control.ts';
import { useEventTypes } from '../../event-types.ts';
import { refine } from '../../router.ts';
import { workspaceId } from '../../session.ts';
import { FilterBar, FilterInput, FilterSelect, SearchField } from '../../ui/filters.tsx';
import { Icon } from '../../ui/icon.tsx';
import { PeriodFields } from '../../ui/period-fields.tsx';
import { openReplayOfMany } from '../replay/question.ts';
import { type Filter, toInput } from './filter.ts';

interface Props {
  readonly filter: Filter;
  /** What else stands beside the search. */
  readonly children: ComponentChildren;
}

export function DeliveryFilters({ filter, children }: Props) {
  return (
    <FilterBar
      filter={{ ...filter }}
      search={
        <SearchField
          name="text"
          label="Search"
          value={filter.text}
          placeholder="Search ids, types, addresses, bodies"
        />
      }
      quick={<Statuses chosen={filter.status} />}
      fields={<Fields filter={filter} />}
      action={
        <button
          type="button"
          onClick={() => openReplayOfMany({ workspace_id: workspaceId.value, ...toInput(filter) })}
        >
          <Icon name="replay" /> Replay all that match
        </button>
      }
    >
      {children}
    </FilterBar>
  );
}

function Statuses({ chosen }: { readonly chosen: string | undefined }) {
  return (
    <fieldset class="deliveries-statuses">
      <legend class="unseen">Status</legend>
      {[undefined, ...deliveryStatuses].map((status) => (
        <button
          key={status}
          type="button"
          aria-pressed={status === chosen}
          onClick={() => refine({ status: status ?? '' })}
        >
          {status ?? 'all'}
        </button>
      ))}
    </fieldset>
  );
}

function Fields({ filter }: Pick<Props, 'filter'>) {
  const workspace = workspaceId.value;
  const { value: endpoints } = useAsked(
    () => control.listWebhooks({ workspace_id: workspace, limit: 1000 }),
    [workspace],
  );
  const subscribed =
    endpoints?.data.flatMap(({ events }) => events.filter((type) => type !== WILDCARD)) ?? [];
  const types = [...new Set([...useEventTypes(), ...subscribed])].sort();
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
