/** A form with its error and its buttons. */
import type { ComponentChildren } from 'preact';
import type { FormSubmit } from '../use-form-submit.ts';

interface Props {
  readonly form: FormSubmit;
  /** Content of the button that submits. */
  readonly action: ComponentChildren;
  /** Empty for a form that is not the main one of its page. */
  readonly tone?: 'primary' | 'danger' | '';
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
  tone = 'primary',
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
        <p class="error-text" role="alert">
          {error.message}
        </p>
      )}
      <div class="row">
        <button type="submit" class={tone} disabled={isBusy || isDisabled} title="Ctrl+Enter">
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
