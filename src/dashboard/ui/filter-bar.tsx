/** The filters of a list, as fields and chips. Their values are stored in the URL. */
import './filter-bar.css';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { idPrefixes } from '../../domain/ids.ts';
import { shortenUrl } from '../address.ts';
import { control } from '../control.ts';
import { route, updateQuery } from '../router.ts';
import { useShortcuts } from '../shortcuts.ts';
import { useQuery } from '../use-query.ts';
import { describeFilter, type FilterClock, filterLabels } from './filter-text.ts';
import { Icon } from './icon.tsx';
import { Toolbar } from './toolbar.tsx';

export interface FilterBarProps {
  readonly filter: Readonly<Record<string, string>>;
  /** The filters that this list has. Others in the URL are reported as ignored. */
  readonly filterNames: readonly string[];
  readonly search: Omit<SearchProps, 'value'>;
  /** The other fields. They are behind a button until one of them has a value. */
  readonly fields: ComponentChildren;
  /** The most frequent filter, which is always visible. */
  readonly quickFilter?: ComponentChildren;
  /** Buttons next to the search field. */
  readonly controls?: ComponentChildren;
  /** What can be done with all matches; shown while a filter is active. */
  readonly action?: ComponentChildren;
  /** The clock of the times that the list is filtered by (default: schedule time). */
  readonly clock?: FilterClock | undefined;
  /** The values that the filter `status` can have. */
  readonly statusHint?: string | undefined;
}

export function FilterBar({
  filter,
  filterNames,
  search,
  fields,
  quickFilter,
  controls,
  action,
  clock,
  statusHint,
}: FilterBarProps) {
  const id = useId();
  const hasFieldValue = Object.keys(filter).some((name) => name !== search.name && name !== 'status');
  const [isExpanded, setExpanded] = useState(hasFieldValue);
  return (
    <search class="filters">
      <div class="row">
        <SearchField {...search} value={filter[search.name]} />
        {quickFilter}
        <button
          type="button"
          aria-expanded={isExpanded}
          aria-controls={id}
          onClick={() => setExpanded(!isExpanded)}
        >
          Filters
        </button>
        {controls}
      </div>
      {isExpanded && (
        <div id={id} class="row filters-fields">
          {fields}
        </div>
      )}
      <IgnoredFilters filter={filter} filterNames={filterNames} statusHint={statusHint} />
      <FilterChips filter={filter} action={action} clock={clock} />
    </search>
  );
}

/** The longest `text` that the control plane accepts. */
const MAX_SEARCH_LENGTH = 1_000;
/** The list is updated when the user has not typed for this time. */
const TYPING_MS = 200;

interface SearchProps {
  readonly name: string;
  readonly label: string;
  readonly value: string | undefined;
  readonly placeholder: string;
}

/** A search field that updates the list while the user types. */
function SearchField({ name, label, value = '', placeholder }: SearchProps) {
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useShortcuts([{ key: '/', description: 'Search', run: () => field.current?.select() }]);
  useEffect(() => {
    // Text that is still being typed is newer than the URL.
    if (timer.current === undefined) setText((typed) => (typed.trim() === value ? typed : value));
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const search = (value: string) => {
    setText(value);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      timer.current = undefined;
      updateQuery({ [name]: value.trim() });
    }, TYPING_MS);
  };
  return (
    <input
      ref={field}
      class="filters-search"
      type="search"
      aria-label={label}
      placeholder={placeholder}
      maxLength={MAX_SEARCH_LENGTH}
      value={text}
      onInput={({ currentTarget }) => search(currentTarget.value)}
      onKeyDown={({ key, currentTarget }) => key === 'Escape' && currentTarget.blur()}
    />
  );
}

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly value: string | undefined;
}

export const RECENT_PERIODS = ['5m', '1h', '24h'];

/** A text field with suggestions; empty means no filter. */
export function FilterInput({
  name,
  label,
  value,
  suggestions,
}: FieldProps & { readonly suggestions: readonly string[] }) {
  const list = useId();
  // An invalid value stays in the field.
  const text = route.value.query[name] ?? '';
  const field = useRef<HTMLInputElement>(null);
  // Not with `value`, because each render would replace text that is being typed.
  useLayoutEffect(() => {
    if (field.current !== null) field.current.value = text;
  }, [text]);
  return (
    <label>
      {label}
      <input
        ref={field}
        list={list}
        aria-invalid={text !== '' && value === undefined}
        placeholder="any"
        onChange={({ currentTarget }) => updateQuery({ [name]: currentTarget.value.trim() })}
      />
      <datalist id={list}>
        {suggestions.map((suggestion) => (
          <option key={suggestion} value={suggestion} />
        ))}
      </datalist>
    </label>
  );
}

/** A select; its first, empty option means no filter. */
export function FilterSelect({
  name,
  label,
  value = '',
  children,
}: FieldProps & { readonly children: ComponentChildren }) {
  return (
    <label>
      {label}
      <select value={value} onChange={({ currentTarget }) => updateQuery({ [name]: currentTarget.value })}>
        <option value="">any</option>
        {children}
      </select>
    </label>
  );
}

interface FilterButtonsProps<Value extends string> extends FieldProps {
  readonly options: readonly Value[];
  readonly titles?: Partial<Record<Value, string>>;
  /** The content of a button (default: its value). */
  readonly children?: (option: Value) => ComponentChildren;
}

/** A button for each value of a filter, and one for no filter. */
export function FilterButtons<Value extends string>({
  name,
  label,
  value,
  options,
  titles = {},
  children = (option) => <span class="capitalized">{option}</span>,
}: FilterButtonsProps<Value>) {
  return (
    <Toolbar label={label} class="row filters-pills">
      {[undefined, ...options].map((option) => (
        <button
          key={option}
          type="button"
          class="pill"
          title={option && titles[option]}
          aria-pressed={option === value}
          onClick={() => updateQuery({ [name]: option ?? '' })}
        >
          {option === undefined ? 'All' : children(option)}
        </button>
      ))}
    </Toolbar>
  );
}

/** The filters in the URL that this list does not have, or whose value is invalid. */
function IgnoredFilters({
  filter,
  filterNames,
  statusHint,
}: Pick<FilterBarProps, 'filter' | 'filterNames' | 'statusHint'>) {
  const { query } = route.value;
  const ignored = Object.entries(filterLabels).filter(
    ([name]) => query[name] !== undefined && query[name].trim() !== '' && filter[name] === undefined,
  );
  const hints: Readonly<Record<string, string | undefined>> = {
    status: statusHint,
    response_status: 'a status such as 404, a class such as 4xx, or none',
    since: TIME_HINT,
    until: TIME_HINT,
  };
  if (ignored.length === 0) return null;
  return (
    <div class="filters-ignored error-text" role="alert">
      {ignored.map(([name, label]) => (
        <p key={name}>
          The {label} filter "{query[name]}" is ignored.{' '}
          {filterNames.includes(name)
            ? `Enter ${hints[name] ?? 'an ID'}.`
            : `This list has no ${label} filter.`}{' '}
          <button type="button" class="pill" onClick={() => updateQuery({ [name]: '' })}>
            Clear
          </button>
        </p>
      ))}
    </div>
  );
}

const TIME_HINT = 'a duration such as 1h, or a time such as 2026-11-20T12:00:00Z';

/** The active filters, each with a button that removes it. */
function FilterChips({ filter, action, clock }: Pick<FilterBarProps, 'filter' | 'action' | 'clock'>) {
  const entries = Object.entries(filter);
  const endpointId = Object.values(filter).find((value) => value.startsWith(idPrefixes.webhook));
  const { value: endpoint } = useQuery(
    async () => (endpointId === undefined ? null : control.getWebhook({ id: endpointId })),
    [endpointId],
  );
  if (entries.length === 0) return null;
  const chips = entries.map(([name, value]) => ({
    name,
    ...describeFilter(name, value, clock),
    ...(endpoint && value === endpointId && { text: shortenUrl(endpoint.url) }),
  }));
  return (
    <ul class="row filters-chips plain-list" aria-label="Active filters">
      {chips.map(({ name, label, text }) => (
        <li key={name}>
          <button
            type="button"
            class="pill"
            aria-label={`Remove filter: ${label} ${text}`}
            onClick={() => updateQuery({ [name]: '' })}
          >
            <span class="muted">{label}</span> <span>{text}</span> <Icon name="cross" />
          </button>
        </li>
      ))}
      <li>
        <button
          type="button"
          class="pill"
          onClick={() => updateQuery(Object.fromEntries(entries.map(([name]) => [name, ''])))}
        >
          Clear filters
        </button>
      </li>
      {Boolean(action) && <li class="row push-right">{action}</li>}
    </ul>
  );
}

/** Filters by creation time: an age such as 1h, or a time. */
export function PeriodFields({
  since,
  until,
}: {
  readonly since: string | undefined;
  readonly until: string | undefined;
}) {
  return (
    <>
      <FilterInput name="since" label="Since" value={since} suggestions={RECENT_PERIODS} />
      <FilterInput name="until" label="Before" value={until} suggestions={RECENT_PERIODS} />
    </>
  );
}
