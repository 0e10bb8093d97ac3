import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

export interface Tab {
  readonly name: string;
  readonly title: string;
  readonly render: () => ComponentChildren;
}

interface Props {
  readonly label: string;
  readonly tabs: readonly Tab[];
  /** Name of the open tab; the first one when none matches. */
  readonly open: string | undefined;
  readonly onOpen: (name: string) => void;
}

/** Tabs following the ARIA practices: one tab stop, arrow keys move between tabs. */
export function Tabs({ label, tabs, open, onOpen }: Props) {
  const id = useId();
  const current = tabs.find(({ name }) => name === open) ?? tabs[0];
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined || current === undefined) return;
    const next = tabs[(tabs.indexOf(current) + step + tabs.length) % tabs.length];
    if (next === undefined) return;
    event.preventDefault();
    onOpen(next.name);
    document.getElementById(`${id}-${next.name}`)?.focus();
  };
  return (
    <div class="tabs">
      <div role="tablist" aria-label={label} onKeyDown={move}>
        {tabs.map((tab) => (
          <button
            key={tab.name}
            type="button"
            role="tab"
            id={`${id}-${tab.name}`}
            aria-selected={tab === current}
            aria-controls={`${id}-panel`}
            tabIndex={tab === current ? 0 : -1}
            onClick={() => onOpen(tab.name)}
          >
            {tab.title}
          </button>
        ))}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the ARIA practices require it for tab panels. */}
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${current?.name}`} tabIndex={0}>
        {current?.render()}
      </div>
    </div>
  );
}
