import { defaultErrorCode } from '../../../domain/fault.ts';
import { Field } from '../../ui/field.tsx';
import { emptyRequestFault, type RequestFaultDraft, toRequestFault } from './fault-draft.ts';
import { FaultForm } from './fault-form.tsx';

/** Orders a fault on requests to the API. */
export function RequestFaultForm({ onAdded }: { readonly onAdded: () => void }) {
  return (
    <FaultForm empty={emptyRequestFault} toFault={toRequestFault} onAdded={onAdded}>
      {({ draft, problem, change }) => {
        const text = (name: 'status' | 'error_code' | 'latency_ms' | 'path', placeholder: string) => ({
          value: draft[name],
          placeholder,
          onInput: ({ currentTarget }: { currentTarget: HTMLInputElement }) =>
            change({ [name]: currentTarget.value }),
        });
        const answered = Number(draft.status);
        return (
          <>
            <Field
              label="Answer with status"
              name="status"
              hint="400 to 599; empty: as it is."
              error={problem}
            >
              {(control) => <input {...control} inputMode="numeric" {...text('status', 'none')} />}
            </Field>
            <Field label="And the error code" name="error_code" error={problem}>
              {(control) => (
                <input
                  {...control}
                  {...text('error_code', answered >= 400 ? defaultErrorCode(answered) : 'none')}
                />
              )}
            </Field>
            <Field label="Wait first" name="latency_ms" hint="Such as 2s, in real time." error={problem}>
              {(control) => <input {...control} {...text('latency_ms', 'not')} />}
            </Field>
            <Field label="Close the connection" name="drop" error={problem}>
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
            <Field label="Only requests with method" name="method" error={problem}>
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
              error={problem}
            >
              {(control) => <input {...control} {...text('path', '/events/{id}')} />}
            </Field>
          </>
        );
      }}
    </FaultForm>
  );
}
