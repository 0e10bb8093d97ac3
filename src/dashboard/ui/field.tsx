import './field.css';
import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';
import type { FormError } from '../form-error.ts';

interface Props {
  readonly label: string;
  /** As the control plane calls it. */
  readonly name: string;
  /** How it is filled in. */
  readonly hint?: ComponentChildren;
  readonly error: FormError | null;
  /** Takes the attributes of the control. */
  readonly children: (control: ControlAttributes) => JSX.Element;
}

interface ControlAttributes {
  readonly id: string;
  readonly name: string;
  readonly 'aria-invalid': boolean;
  readonly 'aria-describedby': string;
}

/** A labelled field of a form, under it how it is filled in, or what is wrong with what is in it. */
export function Field({ label, name, hint, error, children }: Props) {
  const id = useId();
  const isWrong = error?.field === name;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, name, 'aria-invalid': isWrong, 'aria-describedby': `${id}-hint` })}
      <p id={`${id}-hint`} class={isWrong ? 'field-problem' : 'muted'} aria-live="polite">
        {isWrong ? error.message : hint}
      </p>
    </div>
  );
}

/** What is wrong with a form as a whole. */
export function FormErrorText({ problem }: { readonly problem: FormError | null }) {
  if (problem === null || problem.field !== null) return null;
  return (
    <p class="field-problem" role="alert">
      {problem.message}
    </p>
  );
}
