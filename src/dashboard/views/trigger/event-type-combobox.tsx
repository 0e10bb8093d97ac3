import { useId, useState } from 'preact/hooks';
import type { ControlOutput } from '../../../contract/control-operations.ts';
import { searchFixtures } from './search-fixtures.ts';

export type FixtureSummary = ControlOutput<'listFixtures'>['data'][number];

interface Props {
  readonly fixtures: readonly FixtureSummary[];
  readonly type: string;
  readonly isRefused: boolean;
  readonly onChoose: (type: string) => void;
}

/** A combobox of event types with a fixture. Any other type can be entered. */
export function EventTypeCombobox({ fixtures, type, isRefused, onChoose }: Props) {
  const id = useId();
  // Typed text filters the list; a selected type does not.
  const [search, setSearch] = useState('');
  const [active, setActive] = useState<string | null>(null);
  const found = searchFixtures(fixtures, search);
  const choose = (chosen: string) => {
    setSearch('');
    setActive(null);
    onChoose(chosen);
  };
  const move = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Enter' && active !== null) choose(active);
    else if (step !== undefined && found.length > 0) {
      event.preventDefault();
      const at = found.findIndex((each) => each.type === (active ?? type));
      const next = found[at < 0 && step < 0 ? found.length - 1 : (at + step + found.length) % found.length];
      setActive(next?.type ?? null);
      document.getElementById(`${id}-${next?.type}`)?.scrollIntoView({ block: 'nearest' });
    }
  };
  return (
    <div class="trigger-types">
      <label>
        Event type
        <input
          role="combobox"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={active === null ? undefined : `${id}-${active}`}
          aria-invalid={isRefused}
          autocomplete="off"
          spellcheck={false}
          placeholder="order.shipped"
          value={type}
          onKeyDown={move}
          onBlur={() => setActive(null)}
          onInput={({ currentTarget: { value } }) => {
            setSearch(value);
            setActive(null);
            onChoose(value);
          }}
        />
      </label>
      <div id={`${id}-list`} role="listbox" aria-label="Event types with a fixture">
        {found.map((fixture) => (
          <Option
            key={fixture.type}
            id={`${id}-${fixture.type}`}
            fixture={fixture}
            isChosen={fixture.type === type}
            isActive={fixture.type === active}
            onChoose={choose}
          />
        ))}
      </div>
      <p class="muted" role="status">
        {found.length === 0 && `No fixture matches “${search}”. You can still send an event of this type.`}
      </p>
    </div>
  );
}

interface OptionProps {
  readonly id: string;
  readonly fixture: FixtureSummary;
  readonly isChosen: boolean;
  readonly isActive: boolean;
  readonly onChoose: (type: string) => void;
}

function Option({ id, fixture, isChosen, isActive, onChoose }: OptionProps) {
  const { type, source, description, problem } = fixture;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus and the keys.
    // biome-ignore lint/a11y/useFocusableInteractive: the ARIA practices keep the focus in the field of a combobox.
    <div
      id={id}
      role="option"
      aria-selected={isChosen}
      class={isActive ? 'active' : ''}
      onClick={() => onChoose(type)}
    >
      <span class="row">
        <span class="mono">{type}</span>
        {source === 'project' && <span class="badge trigger-project">project</span>}
      </span>
      {problem === null ? (
        <span class="muted">{description}</span>
      ) : (
        <span class="trigger-problem">{problem}</span>
      )}
    </div>
  );
}
