/** Modal dialogs. */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { parseHash } from '../address.ts';
import { addDialogEntry, navigate } from '../router.ts';
import { useFormSubmit } from '../use-form-submit.ts';
import { Form } from './form.tsx';
import { Icon } from './icon.tsx';

interface Props {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/**
 * A modal dialog, open while it is rendered. The browser traps the focus, and closes it with Escape. Back closes it too. The
 * element that had the focus before gets it again.
 */
export function Dialog({ title, onClose, children }: Props) {
  const heading = useId();
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const opener = document.activeElement;
    element.current?.showModal();
    const removeEntry = addDialogEntry(() => element.current?.close());
    return () => {
      removeEntry();
      // The browser also does this, but not when the dialog is removed without being closed, or was opened by a key.
      const target =
        opener instanceof HTMLElement && opener !== document.body ? opener : document.querySelector('main');
      if (document.activeElement === document.body) target?.focus();
    };
  }, []);
  /** The new page replaces the history entry of the dialog. */
  const followLink = (event: MouseEvent) => {
    const link = event.target instanceof Element && event.target.closest<HTMLAnchorElement>('a[href^="#"]');
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    navigate(parseHash(link.hash));
    element.current?.close();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a link sends a click for Enter too.
    <dialog ref={element} aria-labelledby={heading} onClose={onClose} onClick={followLink}>
      <header>
        <h2 id={heading}>{title}</h2>
        <button type="button" class="quiet" aria-label="Close" onClick={() => element.current?.close()}>
          <Icon name="cross" />
        </button>
      </header>
      {children}
    </dialog>
  );
}

interface ConfirmDialogProps extends Props {
  /** Label of the button that confirms. */
  readonly action: string;
  readonly onConfirm: () => Promise<void>;
}

/** Asks before an action that cannot be undone. Stays open when the action fails. */
export function ConfirmDialog({ title, action, onConfirm, onClose, children }: ConfirmDialogProps) {
  const form = useFormSubmit([], onConfirm);
  return (
    <Dialog title={title} onClose={onClose}>
      <Form form={form} action={action} tone="danger" onClose={onClose}>
        {children}
      </Form>
    </Dialog>
  );
}
