import { useId, useState } from 'preact/hooks';
import type { ControlOutput } from '../../../contract/control-operations.ts';
import { searchFixtures } from './trigger-input.ts';

export type FixtureSummary = ControlOutput<'listFixtures'>['data'][number];

interface Props {
  readonly fixtures: readonly FixtureSummary[];
  readonly type: string;
  readonly isRejected: boolean;
  readonly onSelect: (type: string) => void;
}

/** A combobox of event types with a fixture. Any other type can be entered. */
export function EventTypeCombobox({ fixtures, type, isRejected, onSelect }: Props) {
  const id = useId();
  // Typed text filters the list; a selected type does not.
  const [search, setSearch] = useState('');
  const [active, setActive] = useState<string | null>(null);
  const matchingFixtures = searchFixtures(fixtures, search);
  const select = (selectedType: string) => {
    setSearch('');
    setActive(null);
    onSelect(selectedType);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Enter' && active !== null) select(active);
    else if (step !== undefined && matchingFixtures.length > 0) {
      event.preventDefault();
      const index = matchingFixtures.findIndex((fixture) => fixture.type === (active ?? type));
      // Wraps around. Without an active type, the up arrow starts at the last one.
      const next =
        matchingFixtures[
          index < 0 && step < 0
            ? matchingFixtures.length - 1
            : (index + step + matchingFixtures.length) % matchingFixtures.length
        ];
      setActive(next?.type ?? null);
      document.getElementById(`${id}-${next?.type}`)?.scrollIntoView({ block: 'nearest' });
    }
  };
  return (
    <div class="trigger-types stack">
      <label>
        Event type
        <input
          role="combobox"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={active === null ? undefined : `${id}-${active}`}
          aria-invalid={isRejected}
          autocomplete="off"
          spellcheck={false}
          placeholder="order.shipped"
          value={type}
          onKeyDown={onKeyDown}
          onBlur={() => setActive(null)}
          onInput={({ currentTarget: { value } }) => {
            setSearch(value);
            setActive(null);
            onSelect(value);
          }}
        />
      </label>
      <div id={`${id}-list`} role="listbox" aria-label="Fixtures">
        {matchingFixtures.map((fixture) => (
          <Option
            key={fixture.type}
            id={`${id}-${fixture.type}`}
            fixture={fixture}
            isSelected={fixture.type === type}
            isActive={fixture.type === active}
            onSelect={select}
          />
        ))}
      </div>
      <p class="muted" role="status">
        {matchingFixtures.length === 0 &&
          `No fixture matches “${search}”. You can still send an event of this type.`}
      </p>
    </div>
  );
}

interface OptionProps {
  readonly id: string;
  readonly fixture: FixtureSummary;
  readonly isSelected: boolean;
  readonly isActive: boolean;
  readonly onSelect: (type: string) => void;
}

function Option({ id, fixture, isSelected, isActive, onSelect }: OptionProps) {
  const { type, source, description, problem } = fixture;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus and the keys.
    // biome-ignore lint/a11y/useFocusableInteractive: the ARIA practices keep the focus in the field of a combobox.
    <div
      id={id}
      role="option"
      aria-selected={isSelected}
      class={isActive ? 'active' : ''}
      onClick={() => onSelect(type)}
    >
      <span class="row">
        <span class="mono">{type}</span>
        {source === 'project' && <span class="badge succeeded">project</span>}
      </span>
      {problem === null ? (
        <span class="muted">{description}</span>
      ) : (
        <span class="error-text">{problem}</span>
      )}
    </div>
  );
}
