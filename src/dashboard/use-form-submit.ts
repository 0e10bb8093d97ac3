/** A form on its way to the emulator, and what keeps it from being taken. */
import { useState } from 'preact/hooks';
import { toErrorMessage } from './error-message.ts';
import { type FormError, toFormError } from './form-error.ts';

interface FormSubmit {
  readonly error: FormError | null;
  readonly isBusy: boolean;
  readonly submit: (event: Event) => void;
}

/**
 * Sends a form once at a time.
 * @param fields names of its fields, as the control plane calls them
 * @param send rejects where the form is refused, with a message that begins with the name of the field to blame
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
