/** The command palette: opens a pasted ID, goes to a page, or runs an action of the current page. */
import './palette.css';
import { useId, useState } from 'preact/hooks';
import { navigate } from '../../router.ts';
import { selectWorkspace } from '../../session.ts';
import { activeShortcuts } from '../../shortcuts.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { type Command, findIdCommand, searchCommands, toActionCommands } from './commands.ts';

interface Props {
  readonly pages: readonly Command[];
  /** Shortcut that opens the palette. */
  readonly ownKey: string;
  /** @param command the command to run after the palette has closed; undefined for none */
  readonly onClose: (command?: Command) => void;
}

export function CommandPalette({ pages, ownKey, onClose }: Props) {
  const id = useId();
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const idCommand = findIdCommand(text, { navigate, selectWorkspace });
  const all = [...pages, ...toActionCommands(activeShortcuts.value, ownKey)];
  const commands = idCommand === null ? searchCommands(all, text) : [idCommand];
  const activeCommand = commands[active];
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Enter' && activeCommand !== undefined) {
      event.preventDefault();
      onClose(activeCommand);
    } else if (step !== undefined && commands.length > 0) {
      event.preventDefault();
      const next = (active + step + commands.length) % commands.length;
      setActive(next);
      document.getElementById(`${id}-${next}`)?.scrollIntoView({ block: 'nearest' });
    }
  };
  return (
    <Dialog title="Command palette" onClose={() => onClose()}>
      <input
        class="palette-input"
        autoFocus
        role="combobox"
        aria-label="Command or ID"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={activeCommand === undefined ? undefined : `${id}-${active}`}
        autocomplete="off"
        spellcheck={false}
        placeholder="Type a command or paste an ID"
        value={text}
        onKeyDown={onKeyDown}
        onInput={({ currentTarget: { value } }) => {
          setText(value);
          setActive(0);
        }}
      />
      <div id={`${id}-list`} class="palette-list" role="listbox" aria-label="Commands">
        {commands.map((command, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus and the keys.
          // biome-ignore lint/a11y/useFocusableInteractive: the ARIA practices keep the focus in the field of a combobox.
          <div
            key={command.title}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === active}
            onClick={() => onClose(command)}
          >
            <span>{command.title}</span>
            {command.key !== '' && <kbd>{command.key}</kbd>}
          </div>
        ))}
      </div>
      <p class="muted" role="status">
        {commands.length === 0 && 'No command matches.'}
      </p>
    </Dialog>
  );
}
