import { useState } from 'preact/hooks';
import { isLost } from './control.ts';
import { type FormError, toFormError } from './form-error.ts';
import { toErrorMessage } from './toasts.ts';

export interface FormSubmit {
  readonly error: FormError | null;
  /** Whether the form cannot be sent: a submit is in progress, or the connection is lost. */
  readonly isBusy: boolean;
  readonly submit: (event: Event) => void;
}

/**
 * Prevents a second submit while the first is in progress.
 * @param fields names of the fields in the control plane
 * @param send rejects with a message that starts with the name of the invalid field
 */
export function useFormSubmit(fields: readonly string[], send: () => Promise<void>): FormSubmit {
  const [error, setError] = useState<FormError | null>(null);
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    if (isBusy || isLost.peek()) return;
    setBusy(true);
    setError(null);
    try {
      await send();
    } catch (cause) {
      setError(toFormError(toErrorMessage(cause), fields));
    }
    setBusy(false);
  };
  return { error, isBusy: isBusy || isLost.value, submit: (event) => void submit(event) };
}
