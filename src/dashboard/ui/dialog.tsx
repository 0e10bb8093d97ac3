/** Modal dialogs, and forms in them. */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { parseHash } from '../address.ts';
import { addDialogEntry, navigate } from '../router.ts';
import { type FormSubmit, useFormSubmit } from '../use-form-submit.ts';
import { FormErrorText } from './field.tsx';
import { Icon } from './icon.tsx';

interface Props {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A modal dialog, open while it is rendered. The browser traps the focus, and closes it with Escape. Back closes it too. */
export function Dialog({ title, onClose, children }: Props) {
  const heading = useId();
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    element.current?.showModal();
    return addDialogEntry(() => element.current?.close());
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
        <button type="button" class="subtle" aria-label="Close" onClick={() => element.current?.close()}>
          <Icon name="cross" />
        </button>
      </header>
      {children}
    </dialog>
  );
}

interface DialogFormProps {
  readonly children: ComponentChildren;
  readonly form: FormSubmit;
  /** Content of the button that submits. */
  readonly action: ComponentChildren;
  readonly tone?: 'primary' | 'danger';
  readonly onClose: () => void;
}

/** A form in a dialog, with its error and its buttons. */
export function DialogForm({ children, form, action, tone = 'primary', onClose }: DialogFormProps) {
  return (
    <form class="stack" onSubmit={form.submit} noValidate>
      {children}
      <FormErrorText error={form.error} />
      <div class="row">
        <button type="submit" class={tone} disabled={form.isBusy}>
          {action}
        </button>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </form>
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
      <DialogForm form={form} action={action} tone="danger" onClose={onClose}>
        {children}
      </DialogForm>
    </Dialog>
  );
}
