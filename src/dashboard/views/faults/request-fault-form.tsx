import { useState } from 'preact/hooks';
import { errorCodeOf } from '../../../domain/fault.ts';
import { control } from '../../control.ts';
import { useSubmission } from '../../submission.ts';
import { Field, FormProblem } from '../../ui/field.tsx';
import { ChanceFields } from './chance-fields.tsx';
import { emptyRequestFault, type RequestFaultDraft, toRequestFault } from './fault-draft.ts';

/** Orders a fault on requests to the API. */
export function RequestFaultForm({ onAdded }: { readonly onAdded: () => void }) {
  const [draft, setDraft] = useState(emptyRequestFault);
  const change = (changes: Partial<RequestFaultDraft>) => setDraft({ ...draft, ...changes });
  const { problem, isBusy, submit } = useSubmission(Object.keys(draft), async () => {
    await control.addFault(toRequestFault(draft));
    setDraft(emptyRequestFault);
    onAdded();
  });
  const text = (name: 'status' | 'error_code' | 'latency_ms' | 'path', placeholder: string) => ({
    value: draft[name],
    placeholder,
    onInput: ({ currentTarget }: { currentTarget: HTMLInputElement }) =>
      change({ [name]: currentTarget.value }),
  });
  const answered = Number(draft.status);
  return (
    <form class="form" onSubmit={submit} noValidate>
      <div class="fields">
        <Field label="Answer with status" name="status" hint="400 to 599; empty: as it is." problem={problem}>
          {(control) => <input {...control} inputMode="numeric" {...text('status', 'none')} />}
        </Field>
        <Field label="And the error code" name="error_code" problem={problem}>
          {(control) => (
            <input {...control} {...text('error_code', answered >= 400 ? errorCodeOf(answered) : 'none')} />
          )}
        </Field>
        <Field label="Wait first" name="latency_ms" hint="Such as 2s, in real time." problem={problem}>
          {(control) => <input {...control} {...text('latency_ms', 'not')} />}
        </Field>
        <Field label="Close the connection" name="drop" problem={problem}>
          {(control) => (
            <select
              {...control}
              value={draft.drop}
              onChange={({ currentTarget }) =>
                change({ drop: currentTarget.value as RequestFaultDraft['drop'] })
              }
            >
              <option value="">no</option>
              <option value="before">before the work is done</option>
              <option value="after">after the work is done</option>
            </select>
          )}
        </Field>
        <Field label="Only requests with method" name="method" problem={problem}>
          {(control) => (
            <select
              {...control}
              value={draft.method}
              onChange={({ currentTarget }) => change({ method: currentTarget.value })}
            >
              <option value="">any</option>
              <option>GET</option>
              <option>POST</option>
            </select>
          )}
        </Field>
        <Field
          label="Only to the path"
          name="path"
          hint="A segment {id} or * stands for any one."
          problem={problem}
        >
          {(control) => <input {...control} {...text('path', '/events/{id}')} />}
        </Field>
        <ChanceFields draft={draft} problem={problem} onChange={change} />
      </div>
      <FormProblem problem={problem} />
      <div class="row">
        <button type="submit" class="main" disabled={isBusy}>
          Add the fault
        </button>
      </div>
    </form>
  );
}
