import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';
import type { FormError } from '../use-form-submit.ts';

interface Props {
  readonly label: string;
  /** The name of the field in the control plane. */
  readonly name: string;
  readonly hint?: ComponentChildren;
  readonly error: FormError | null;
  /** Receives the attributes of the input element. */
  readonly children: (control: ControlAttributes) => JSX.Element;
}

interface ControlAttributes {
  readonly id: string;
  readonly name: string;
  readonly 'aria-invalid': boolean;
  readonly 'aria-describedby': string;
}

/** A form field with its label and its hint or validation error. */
export function Field({ label, name, hint, error, children }: Props) {
  const id = useId();
  const isInvalid = error?.field === name;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, name, 'aria-invalid': isInvalid, 'aria-describedby': `${id}-hint` })}
      <p id={`${id}-hint`} class={isInvalid ? 'error-text' : 'muted'} aria-live="polite">
        {isInvalid ? error.message : hint}
      </p>
    </div>
  );
}

/** A validation error of the whole form. */
export function FormErrorText({ error }: { readonly error: FormError | null }) {
  if (error === null || error.field !== null) return null;
  return (
    <p class="error-text" role="alert">
      {error.message}
    </p>
  );
}
