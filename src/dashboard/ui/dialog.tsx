import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { Icon } from './icon.tsx';

interface Props {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A modal dialog, open while it is rendered. The browser traps the focus and closes it with Escape. */
export function Dialog({ title, onClose, children }: Props) {
  const heading = useId();
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => element.current?.showModal(), []);
  return (
    <dialog ref={element} aria-labelledby={heading} onClose={onClose}>
      <header>
        <h2 id={heading}>{title}</h2>
        <button type="button" class="subtle" aria-label="Close" onClick={() => element.current?.close()}>
          <Icon name="cross" />
        </button>
      </header>
      {children}
    </dialog>
  );
}
