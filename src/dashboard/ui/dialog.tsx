/** Modal dialogs. */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { route } from '../router.ts';
import { IconButton } from './icon-button.tsx';

interface Props {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/**
 * A modal dialog, open while it is rendered. The browser traps the focus, and closes it with Escape. It also closes when another page
 * opens. The element that had the focus before gets it again.
 */
export function Dialog({ title, onClose, children }: Props) {
  const heading = useId();
  const element = useRef<HTMLDialogElement>(null);
  // Before the effects of the children, which may move the focus.
  useLayoutEffect(() => {
    const opener = document.activeElement;
    element.current?.showModal();
    return () => {
      // The browser also does this, but not when the dialog is removed without being closed, or was opened by a key.
      const target =
        opener instanceof HTMLElement && opener !== document.body ? opener : document.querySelector('main');
      if (document.activeElement === document.body) target?.focus();
    };
  }, []);
  const { section, id } = route.value;
  const [opened] = useState({ section, id });
  useEffect(() => {
    if (section !== opened.section || id !== opened.id) element.current?.close();
  }, [section, id]);
  return (
    <dialog ref={element} aria-labelledby={heading} onClose={onClose}>
      <section class="stack">
        <header class="row">
          <h2 id={heading}>{title}</h2>
          <IconButton name="cross" label="Close" onClick={() => element.current?.close()} />
        </header>
        {children}
      </section>
    </dialog>
  );
}
