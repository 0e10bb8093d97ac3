/** A button that opens a panel below it. */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { route } from '../router.ts';
import { type Shortcut, useShortcuts } from '../shortcuts.ts';

interface Props {
  readonly label: string;
  readonly button: ComponentChildren;
  readonly class?: string;
  readonly children: ComponentChildren | ((close: () => void) => ComponentChildren);
  /** The key that opens the panel. */
  readonly shortcut?: Omit<Shortcut, 'run'>;
}

/** The element with `autofocus` in the panel gets the focus. Closes with its button, with Escape, on navigation, and when the focus or the pointer leaves it. */
export function Popover({ label, button, class: buttonClass, children, shortcut }: Props) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const container = useRef<HTMLDivElement>(null);
  const openButton = useRef<HTMLButtonElement>(null);
  const close = () => setOpen(false);
  useShortcuts(shortcut === undefined ? [] : [{ ...shortcut, run: () => setOpen(true) }]);
  useEffect(() => {
    if (!isOpen) return;
    container.current?.querySelector<HTMLElement>('[autofocus]')?.focus();
    const closeOutside = ({ target }: Event) => {
      if (target instanceof Node && !container.current?.contains(target)) close();
    };
    const events = ['pointerdown', 'focusin'];
    for (const event of events) addEventListener(event, closeOutside);
    return () => {
      for (const event of events) removeEventListener(event, closeOutside);
    };
  }, [isOpen]);
  useEffect(close, [route.value]);
  const closeAndFocus = () => {
    close();
    openButton.current?.focus();
  };
  const closeByKey = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !isOpen) return;
    event.preventDefault();
    closeAndFocus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: handles Escape for every element inside.
    <div class="popover" ref={container} onKeyDown={closeByKey}>
      <button
        type="button"
        ref={openButton}
        class={buttonClass}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        {button}
      </button>
      {isOpen && (
        <section id={id} class="popover-panel" aria-label={label}>
          {typeof children === 'function' ? children(closeAndFocus) : children}
        </section>
      )}
    </div>
  );
}
