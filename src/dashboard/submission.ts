/** A form on its way to the emulator, and what keeps it from being taken. */
import { useState } from 'preact/hooks';
import { toMessage } from './message.ts';
import { findProblem, type Problem } from './problem.ts';

interface Submission {
  readonly problem: Problem | null;
  readonly isBusy: boolean;
  readonly submit: (event: Event) => void;
}

/**
 * Sends a form once at a time.
 * @param fields names of its fields, as the control plane calls them
 * @param send rejects where the form is refused, with a message that begins with the name of the field to blame
 */
export function useSubmission(fields: readonly string[], send: () => Promise<void>): Submission {
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    setProblem(null);
    try {
      await send();
    } catch (error) {
      setProblem(findProblem(toMessage(error), fields));
    }
    setBusy(false);
  };
  return { problem, isBusy, submit: (event) => void submit(event) };
}
