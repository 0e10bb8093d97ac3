/** A button that opens a panel below it. */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { route } from '../router.ts';

interface Props {
  readonly label: string;
  readonly button: ComponentChildren;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** Closes with its button, with Escape, on navigation, and when the focus or the pointer leaves it. */
export function Popover({ label, button, class: buttonClass, children }: Props) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const container = useRef<HTMLDivElement>(null);
  const openButton = useRef<HTMLButtonElement>(null);
  const close = () => setOpen(false);
  useEffect(() => {
    if (!isOpen) return;
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
  const closeByKey = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !isOpen) return;
    event.preventDefault();
    close();
    openButton.current?.focus();
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
          {children}
        </section>
      )}
    </div>
  );
}
