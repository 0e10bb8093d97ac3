import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface Tab {
  readonly name: string;
  readonly title: string;
  readonly render: () => ComponentChildren;
}

interface Props {
  readonly label: string;
  readonly tabs: readonly Tab[];
  /** The first tab opens if no tab has this name. */
  readonly openName: string | undefined;
  readonly onOpen: (name: string) => void;
}

/** Tabs following the ARIA practices: one tab stop, arrow keys move between tabs. */
export function Tabs({ label, tabs, openName, onOpen }: Props) {
  const id = useId();
  const openTab = tabs.find(({ name }) => name === openName) ?? tabs[0];
  const openByArrowKey = (event: KeyboardEvent) => {
    const offset = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (offset === undefined || openTab === undefined) return;
    const next = tabs[(tabs.indexOf(openTab) + offset + tabs.length) % tabs.length];
    if (next === undefined) return;
    event.preventDefault();
    onOpen(next.name);
    document.getElementById(`${id}-${next.name}`)?.focus();
  };
  return (
    <div>
      <div role="tablist" aria-label={label} onKeyDown={openByArrowKey}>
        {tabs.map((tab) => (
          <button
            key={tab.name}
            type="button"
            role="tab"
            id={`${id}-${tab.name}`}
            aria-selected={tab === openTab}
            aria-controls={`${id}-panel`}
            tabIndex={tab === openTab ? 0 : -1}
            onClick={() => onOpen(tab.name)}
          >
            {tab.title}
          </button>
        ))}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the ARIA practices require it for tab panels. */}
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${openTab?.name}`} tabIndex={0}>
        {openTab?.render()}
      </div>
    </div>
  );
}
