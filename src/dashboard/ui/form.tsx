/** A form with its error and its buttons. */
import type { ComponentChildren } from 'preact';
import type { FormSubmit } from '../use-form-submit.ts';

interface Props {
  readonly form: FormSubmit;
  /** Content of the button that submits. */
  readonly action: ComponentChildren;
  /** Plain for a form that is not the main one of its page. */
  readonly variant?: 'primary' | 'danger' | 'plain';
  readonly isDisabled?: boolean;
  /** In a dialog: closes it. */
  readonly onClose?: () => void;
  readonly label?: string;
  /** Other buttons. */
  readonly buttons?: ComponentChildren;
  readonly children?: ComponentChildren;
}

/** Ctrl+Enter submits it from any field, also from an editor. */
export function Form({
  form,
  action,
  variant = 'primary',
  isDisabled = false,
  onClose,
  label,
  buttons,
  children,
}: Props) {
  const { error, isBusy, submit } = form;
  return (
    <form
      class="stack"
      aria-label={label}
      noValidate
      onSubmit={(event) => (isDisabled ? event.preventDefault() : submit(event))}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit();
      }}
    >
      {children}
      {error !== null && error.field === null && (
        <p data-state="failed" role="alert">
          {error.message}
        </p>
      )}
      <div class="row">
        <button type="submit" data-variant={variant} disabled={isBusy || isDisabled} title="Ctrl+Enter">
          {action}
        </button>
        {buttons}
        {onClose !== undefined && (
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        )}
      </div>
    </form>
  );
}
