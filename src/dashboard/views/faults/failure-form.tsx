import { useState } from 'preact/hooks';
import { control } from '../../control.ts';
import { useFormSubmit } from '../../use-form-submit.ts';
import { type FailureDraft, failures, toFailureFault } from './fault-draft.ts';

interface Props {
  readonly webhookId: string;
  readonly onAdded: () => void;
}

/** "Fail the next 3 attempts with 503": adds a fault with the effect of a failing receiver. */
export function FailureForm({ webhookId, onAdded }: Props) {
  const [draft, setDraft] = useState<FailureDraft>({ count: '3', failure: '503' });
  const { error, isBusy, submit } = useFormSubmit(['count'], async () => {
    await control.addFault(toFailureFault(draft, webhookId));
    onAdded();
  });
  return (
    <form class="stack" aria-label="Make it fail" onSubmit={submit} noValidate>
      <div class="row">
        <label class="row">
          Fail the next
          <input
            size={4}
            aria-invalid={error?.field === 'count'}
            inputMode="numeric"
            autocomplete="off"
            value={draft.count}
            onInput={({ currentTarget }) => setDraft({ ...draft, count: currentTarget.value })}
          />
        </label>
        <label class="row">
          attempts with
          <select
            value={draft.failure}
            onInput={({ currentTarget }) =>
              setDraft({ ...draft, failure: currentTarget.value as FailureDraft['failure'] })
            }
          >
            {Object.entries(failures).map(([value, title]) => (
              <option key={value} value={value}>
                {title}
              </option>
            ))}
          </select>
        </label>
        <button type="submit" class="primary" disabled={isBusy}>
          Make it fail
        </button>
      </div>
      {error !== null && (
        <p class="error-text" role="alert">
          {error.message}
        </p>
      )}
    </form>
  );
}
