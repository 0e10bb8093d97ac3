/** What the list is narrowed to. All of it lives in the address. */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { deliveryStatuses } from '../../../domain/delivery.ts';
import { useAsked } from '../../asked.ts';
import { control } from '../../control.ts';
import { refine } from '../../router.ts';
import { workspaceId } from '../../session.ts';
import { useShortcuts } from '../../shortcuts.ts';
import { Icon } from '../../ui/icon.tsx';
import { PeriodFields } from '../../ui/period-fields.tsx';
import { openReplayOfMany } from '../replay/question.ts';
import { type Filter, type FilterName, filterNames, toInput } from './filter.ts';

interface Props {
  readonly filter: Filter;
  /** Types of events that there are. */
  readonly types: readonly string[];
  /** What else stands beside the search. */
  readonly children: ComponentChildren;
}

export function FilterBar({ filter, types, children }: Props) {
  const [isUnfolded, setUnfolded] = useState(false);
  const more = useId();
  return (
    <search class="deliveries-filters">
      <div class="deliveries-search">
        <Search text={filter.text ?? ''} />
        <button
          type="button"
          class="deliveries-unfold"
          aria-expanded={isUnfolded}
          aria-controls={more}
          onClick={() => setUnfolded(!isUnfolded)}
        >
          Filters
        </button>
        {children}
      </div>
      <Statuses chosen={filter.status} />
      <div id={more} class={`deliveries-more ${isUnfolded ? 'unfolded' : ''}`}>
        <More filter={filter} types={types} />
      </div>
      <Chips filter={filter} />
    </search>
  );
}

/** How long somebody who types has to stop before the list follows. */
const TYPING_MS = 200;

function Search({ text }: { readonly text: string }) {
  const field = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [typed, setTyped] = useState(text);
  /** What the field has put into the address: coming back from there, it changes nothing that was typed since. */
  const sent = useRef(text);
  useShortcuts([{ key: '/', does: 'Search', run: () => field.current?.select() }]);
  useEffect(() => {
    if (text !== sent.current) setTyped(text);
    sent.current = text;
  }, [text]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const search = (wanted: string) => {
    setTyped(wanted);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      sent.current = wanted.trim();
      refine({ text: sent.current });
    }, TYPING_MS);
  };
  return (
    <input
      ref={field}
      type="search"
      aria-label="Search"
      placeholder="Search ids, types, addresses, bodies"
      maxLength={1000}
      value={typed}
      onInput={({ currentTarget }) => search(currentTarget.value)}
      onKeyDown={({ key, currentTarget }) => key === 'Escape' && currentTarget.blur()}
    />
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

function More({ filter, types }: Omit<Props, 'children'>) {
  const workspace = workspaceId.value;
  const { value: endpoints } = useAsked(
    () => control.listWebhooks({ workspace_id: workspace, limit: 1000 }),
    [workspace],
  );
  const { value: fixtures } = useAsked(() => control.listFixtures({}), []);
  const list = useId();
  const subscribed = endpoints?.data.flatMap(({ events }) => events) ?? [];
  const imitated = fixtures?.data.map(({ type }) => type) ?? [];
  const known = new Set([...types, ...subscribed, ...imitated].filter((type) => !type.includes('*')));
  return (
    <>
      <label>
        Type
        <input
          list={list}
          value={filter.type ?? ''}
          placeholder="any"
          onChange={({ currentTarget }) => refine({ type: currentTarget.value.trim() })}
        />
        <datalist id={list}>
          {[...known].sort().map((type) => (
            <option key={type} value={type} />
          ))}
        </datalist>
      </label>
      <label>
        Endpoint
        <select
          value={filter.webhook ?? ''}
          onChange={({ currentTarget }) => refine({ webhook: currentTarget.value })}
        >
          <option value="">any</option>
          {endpoints?.data.map(({ id, url }) => (
            <option key={id} value={id}>
              {url}
            </option>
          ))}
        </select>
      </label>
      <PeriodFields since={filter.since} until={filter.until} />
    </>
  );
}

function Chips({ filter }: { readonly filter: Filter }) {
  const given = filterNames.flatMap((name) => {
    const value = filter[name];
    return value === undefined ? [] : [{ name, value }];
  });
  if (given.length === 0) return null;
  const drop = (names: readonly FilterName[]) => refine(Object.fromEntries(names.map((name) => [name, ''])));
  return (
    <ul class="deliveries-chips" aria-label="Filters in force">
      {given.map(({ name, value }) => (
        <li key={name}>
          <button
            type="button"
            aria-label={`Remove the filter ${name} ${value}`}
            onClick={() => drop([name])}
          >
            <span class="muted">{name}</span> <span>{value}</span> <Icon name="cross" />
          </button>
        </li>
      ))}
      {given.length > 1 && (
        <li>
          <button type="button" onClick={() => drop(filterNames)}>
            Clear all
          </button>
        </li>
      )}
      <li class="deliveries-replay">
        <button
          type="button"
          onClick={() => openReplayOfMany({ workspace_id: workspaceId.value, ...toInput(filter) })}
        >
          <Icon name="replay" /> Replay all that match
        </button>
      </li>
    </ul>
  );
}
