/** Submits a form and keeps its validation error. */
import { useState } from 'preact/hooks';
import { toErrorMessage } from './error-message.ts';
import { type FormError, toFormError } from './form-error.ts';

interface FormSubmit {
  readonly error: FormError | null;
  readonly isBusy: boolean;
  readonly submit: (event: Event) => void;
}

/**
 * Prevents a second submit while the first is in progress.
 * @param fields names of the fields in the control plane
 * @param send rejects with a message that starts with the name of the invalid field
 */
export function useFormSubmit(fields: readonly string[], send: () => Promise<void>): FormSubmit {
  const [problem, setProblem] = useState<FormError | null>(null);
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    setProblem(null);
    try {
      await send();
    } catch (error) {
      setProblem(toFormError(toErrorMessage(error), fields));
    }
    setBusy(false);
  };
  return { error: problem, isBusy, submit: (event) => void submit(event) };
}
