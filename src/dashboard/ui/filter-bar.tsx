/** The filters of a list, as fields and chips. Their values are stored in the URL. */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { idPrefixes } from '../../domain/ids.ts';
import type { Filters } from '../../resources/define-resource.ts';
import { describeSchema } from '../../resources/validate.ts';
import { shortenUrl } from '../address.ts';
import { control } from '../control.ts';
import { describeFilterValue, type FilterTexts } from '../filters.ts';
import { route, updateQuery } from '../router.ts';
import { useShortcuts } from '../shortcuts.ts';
import { useQuery } from '../use-query.ts';
import { Icon } from './icon.tsx';
import { Toolbar } from './toolbar.tsx';

/** Suggestions for the value of a filter, the titles of its only values, or null if it has buttons instead of a field. */
export type Choices = Readonly<Record<string, readonly string[] | Readonly<Record<string, string>> | null>>;

export interface FilterBarProps {
  /** The filters that this list has. Others in the URL are reported as ignored. */
  readonly filters: Filters;
  readonly filter: FilterTexts;
  /** The filter of the search field, and its placeholder. */
  readonly search: readonly [name: string, placeholder: string];
  /** A hook that loads the choices when the fields are first shown. */
  readonly useChoices: () => Choices;
  /** The most frequent filter, which is always visible. */
  readonly quickFilter?: ComponentChildren;
  /** Buttons next to the search field. */
  readonly controls?: ComponentChildren;
  /** What can be done with all matches; shown while a filter is active. */
  readonly action?: ComponentChildren;
}

/** The search field is always visible. The other fields are behind a button until one of them has a value. */
export function FilterBar(props: FilterBarProps) {
  const { filter, filters, search, quickFilter, controls } = props;
  const id = useId();
  const hasFieldValue = Object.keys(filter).some(
    (name) => ![search[0], 'status', 'scheduled'].includes(name),
  );
  const [isExpanded, setExpanded] = useState(hasFieldValue);
  return (
    <search>
      <div class="row">
        <SearchField label={filters[search[0]]?.label ?? ''} search={search} value={filter[search[0]]} />
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
      {isExpanded && <FilterFields id={id} {...props} />}
      <IgnoredFilters {...props} />
      <FilterChips {...props} />
    </search>
  );
}

/** The longest text that the control plane accepts. */
const MAX_SEARCH_LENGTH = 1_000;
/** The list is updated when the user has not typed for this time. */
const TYPING_MS = 200;

interface SearchFieldProps extends Pick<FilterBarProps, 'search'> {
  readonly label: string;
  readonly value: string | undefined;
}

/** A search field that updates the list while the user types. */
function SearchField({ label, search: [name, placeholder], value = '' }: SearchFieldProps) {
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

const RECENT_PERIODS = ['5m', '1h', '24h'];

/** A field for each filter without a place of its own. */
function FilterFields({ id, filters, filter, search, useChoices }: FilterBarProps & { id: string }) {
  const choices: Choices = { since: RECENT_PERIODS, until: RECENT_PERIODS, ...useChoices() };
  const names = Object.keys(filters).filter((name) => name !== search[0] && choices[name] !== null);
  return (
    <div id={id} class="grid">
      {names.map((name) => (
        <FilterField
          key={name}
          name={name}
          label={filters[name]?.label ?? ''}
          isInvalid={filter[name] === undefined}
          choices={choices[name] ?? []}
        />
      ))}
    </div>
  );
}

interface FilterFieldProps {
  readonly name: string;
  readonly label: string;
  readonly isInvalid: boolean;
  readonly choices: NonNullable<Choices[string]>;
}

/** An empty field means no filter. An invalid value stays in the field. */
function FilterField({ name, label, isInvalid, choices }: FilterFieldProps) {
  const id = useId();
  const text = route.value.query[name] ?? '';
  const field = useRef<HTMLInputElement>(null);
  // Not with `value`, because each render would replace text that is being typed.
  useLayoutEffect(() => {
    if (field.current !== null) field.current.value = text;
  }, [text]);
  const change = ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
    updateQuery({ [name]: currentTarget.value.trim() });
  return (
    <label for={id}>
      {label}
      {Array.isArray(choices) ? (
        <>
          <input
            ref={field}
            id={id}
            list={`${id}-list`}
            aria-invalid={text !== '' && isInvalid}
            placeholder="any"
            onChange={change}
          />
          <datalist id={`${id}-list`}>
            {choices.map((choice) => (
              <option key={choice} value={choice} />
            ))}
          </datalist>
        </>
      ) : (
        <select id={id} value={text} onChange={change}>
          <option value="">any</option>
          {Object.entries(choices).map(([value, title]) => (
            <option key={value} value={value}>
              {title}
            </option>
          ))}
        </select>
      )}
    </label>
  );
}

interface FilterButtonsProps<Value extends string> {
  readonly name: string;
  readonly label: string;
  readonly value: string | undefined;
  readonly options: readonly Value[];
  readonly titles?: Partial<Record<Value, string>>;
  /** The content of a button (default: its value). */
  readonly children?: (option: Value) => ComponentChildren;
}

/** A button for each value of a filter, also for another value that is active, and one for no filter. */
export function FilterButtons<Value extends string>({
  name,
  label,
  value,
  options,
  titles = {},
  children = (option) => option,
}: FilterButtonsProps<Value>) {
  return (
    <Toolbar label={label}>
      {[...new Set([undefined, ...options, value as Value | undefined])].map((option) => (
        <button
          key={option}
          type="button"
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

/** What a list has in the URL in addition to its filters. */
const OTHER_NAMES = ['attempt', 'tab'];

/** The filters in the URL that this list does not have, or whose value is invalid. */
function IgnoredFilters({ filter, filters }: FilterBarProps) {
  const ignored = Object.entries(route.value.query).filter(
    ([name, text]) => text.trim() !== '' && filter[name] === undefined && !OTHER_NAMES.includes(name),
  );
  if (ignored.length === 0) return null;
  return (
    <div data-state="failed" role="alert">
      {ignored.map(([name, text]) => (
        <p key={name}>
          The {filters[name]?.label ?? name} filter "{text}" is ignored.{' '}
          {filters[name] === undefined
            ? 'This list has no such filter.'
            : `Enter ${describeSchema(filters[name].schema)}.`}{' '}
          <button type="button" onClick={() => updateQuery({ [name]: '' })}>
            Clear
          </button>
        </p>
      ))}
    </div>
  );
}

export function ClearFilters({ filter }: Pick<FilterBarProps, 'filter'>) {
  const clear = () => updateQuery(Object.fromEntries(Object.keys(filter).map((name) => [name, ''])));
  return (
    <button type="button" onClick={clear}>
      Clear filters
    </button>
  );
}

/** The active filters, each with a button that removes it. */
function FilterChips({ filter, filters, action }: FilterBarProps) {
  const entries = Object.entries(filter);
  const endpointId = Object.values(filter).find((value) => value.startsWith(idPrefixes.webhook));
  const { value: endpoint } = useQuery(
    async () => (endpointId === undefined ? null : control.getWebhook({ id: endpointId })),
    [endpointId],
  );
  if (entries.length === 0) return null;
  // A button shows the status.
  const chips = entries
    .filter(([name]) => name !== 'status')
    .map(([name, value]) => ({
      name,
      label: filters[name]?.label,
      text: endpoint && value === endpointId ? shortenUrl(endpoint.url) : describeFilterValue(name, value),
    }));
  return (
    <div class="row">
      <ul class="row" aria-label="Active filters">
        {chips.map(({ name, label, text }) => (
          <li key={name}>
            <button
              type="button"
              aria-label={`Remove filter: ${label} ${text}`}
              onClick={() => updateQuery({ [name]: '' })}
            >
              <span class="muted">{label}</span> <span>{text}</span> <Icon name="cross" />
            </button>
          </li>
        ))}
        <li>
          <ClearFilters filter={filter} />
        </li>
      </ul>
      {action}
    </div>
  );
}
