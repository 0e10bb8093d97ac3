/** What a list is narrowed to, as fields and as chips. All of it lives in the address. */
import './filter-bar.css';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { updateQuery } from '../router.ts';
import { useShortcuts } from '../shortcuts.ts';
import { Icon } from './icon.tsx';

interface BarProps {
  readonly filter: Readonly<Record<string, string>>;
  readonly search: ComponentChildren;
  readonly fields: ComponentChildren;
  /** What else stands beside the search. */
  readonly children: ComponentChildren;
  /** The choice that is made most often: never behind the button. */
  readonly quick?: ComponentChildren;
  /** What can be done with all that matches. */
  readonly action?: ComponentChildren;
}

/** The fields are behind a button where there is no room for them. */
export function FilterBar({ filter, search, fields, children, quick, action }: BarProps) {
  const id = useId();
  const [isUnfolded, setUnfolded] = useState(false);
  return (
    <search class="filters">
      <div class="filters-first">
        {search}
        <button
          type="button"
          class="filters-unfold"
          aria-expanded={isUnfolded}
          aria-controls={id}
          onClick={() => setUnfolded(!isUnfolded)}
        >
          Filters
        </button>
        {children}
      </div>
      {quick}
      <div id={id} class={`filters-fields ${isUnfolded ? 'unfolded' : ''}`}>
        {fields}
      </div>
      <FilterChips filter={filter} action={action} />
    </search>
  );
}

/** How long somebody who types has to stop before the list follows. */
const TYPING_MS = 200;

interface SearchProps {
  /** Name of the member of the address. */
  readonly name: string;
  readonly label: string;
  readonly value: string | undefined;
  readonly placeholder: string;
}

/** A field that the list follows while somebody types. */
export function SearchField({ name, label, value = '', placeholder }: SearchProps) {
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useShortcuts([{ key: '/', description: 'Search', run: () => field.current?.select() }]);
  useEffect(() => {
    // What is still being typed is newer than the address.
    if (timer.current === undefined) setText((before) => (before.trim() === value ? before : value));
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const search = (wanted: string) => {
    setText(wanted);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      timer.current = undefined;
      updateQuery({ [name]: wanted.trim() });
    }, TYPING_MS);
  };
  return (
    <input
      ref={field}
      class="filters-search"
      type="search"
      aria-label={label}
      placeholder={placeholder}
      maxLength={1000}
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

/** A field with suggestions; empty it narrows nothing. */
export function FilterInput({
  name,
  label,
  value = '',
  suggestions,
}: FieldProps & { readonly suggestions: readonly string[] }) {
  const list = useId();
  return (
    <label>
      {label}
      <input
        list={list}
        value={value}
        placeholder="any"
        onChange={({ currentTarget }) => updateQuery({ [name]: currentTarget.value.trim() })}
      />
      <datalist id={list}>
        {suggestions.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
    </label>
  );
}

/** A choice; the first option, of an empty value, narrows nothing. */
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

/** The filters in force, each with a way to drop it. */
function FilterChips({ filter, action }: Pick<BarProps, 'filter' | 'action'>) {
  const given = Object.entries(filter);
  if (given.length === 0) return null;
  return (
    <ul class="filters-chips" aria-label="Filters in force">
      {given.map(([name, value]) => (
        <li key={name}>
          <button
            type="button"
            aria-label={`Remove the filter ${name} ${value}`}
            onClick={() => updateQuery({ [name]: '' })}
          >
            <span class="muted">{name}</span> <span>{value}</span> <Icon name="cross" />
          </button>
        </li>
      ))}
      {given.length > 1 && (
        <li>
          <button type="button" onClick={() => clearAll(filter)}>
            Clear all
          </button>
        </li>
      )}
      {action !== undefined && <li class="filters-action">{action}</li>}
    </ul>
  );
}

/** What stands in place of a list that is narrowed to nothing. */
export function NoMatches({
  filter,
  what,
}: {
  readonly filter: Readonly<Record<string, string>>;
  readonly what: string;
}) {
  return (
    <div class="state">
      No {what} matches.{' '}
      <button type="button" onClick={() => clearAll(filter)}>
        Show all
      </button>
    </div>
  );
}

function clearAll(filter: Readonly<Record<string, string>>): void {
  updateQuery(Object.fromEntries(Object.keys(filter).map((name) => [name, ''])));
}
