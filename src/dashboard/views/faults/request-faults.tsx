import { useState } from 'preact/hooks';
import { getDefaultErrorCode } from '../../../domain/fault.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { emptyRequestFault, type RequestFaultDraft, toRequestFault } from './fault-draft.ts';
import { FaultForm } from './fault-form.tsx';
import { FaultList, useFaults } from './fault-list.tsx';

/** A button with the number of active request faults, and a dialog with the faults. */
export function RequestFaults() {
  const [isOpen, setOpen] = useState(false);
  const query = useFaults(({ on }) => on === 'request');
  const count = query.value?.length ?? 0;
  return (
    <>
      <button type="button" class={count > 0 ? 'warning-text' : ''} onClick={() => setOpen(true)}>
        <Icon name="bolt" /> {count === 0 ? 'Faults' : `${count} ${count === 1 ? 'fault' : 'faults'}`}
      </button>
      {isOpen && (
        <Dialog title="Request faults" onClose={() => setOpen(false)}>
          <div class="stack">
            <FaultList
              query={query}
              emptyText="No faults. Add one to make the API fail, respond late or close the connection, and see how your client reacts."
            />
            <h3>Add fault</h3>
            <RequestFaultForm onAdded={query.refetch} />
          </div>
        </Dialog>
      )}
    </>
  );
}

/** Adds a fault for requests to the API. */
function RequestFaultForm({ onAdded }: { readonly onAdded: () => void }) {
  return (
    <FaultForm empty={emptyRequestFault} toFault={toRequestFault} onAdded={onAdded}>
      {({ draft, error, change }) => {
        const toInputProps = (
          name: 'status' | 'error_code' | 'latency_ms' | 'path',
          placeholder: string,
        ) => ({
          value: draft[name],
          placeholder,
          onInput: ({ currentTarget }: { currentTarget: HTMLInputElement }) =>
            change({ [name]: currentTarget.value }),
        });
        const status = Number(draft.status);
        return (
          <>
            <Field
              label="Response status"
              name="status"
              hint="400 to 599. Leave empty for the normal status."
              error={error}
            >
              {(control) => <input {...control} inputMode="numeric" {...toInputProps('status', 'none')} />}
            </Field>
            <Field label="Error code" name="error_code" error={error}>
              {(control) => (
                <input
                  {...control}
                  {...toInputProps('error_code', status >= 400 ? getDefaultErrorCode(status) : 'none')}
                />
              )}
            </Field>
            <Field label="Latency" name="latency_ms" hint="For example 2s, in real time." error={error}>
              {(control) => <input {...control} {...toInputProps('latency_ms', 'none')} />}
            </Field>
            <Field label="Close the connection" name="drop" error={error}>
              {(control) => (
                <select
                  {...control}
                  value={draft.drop}
                  onChange={({ currentTarget }) =>
                    change({ drop: currentTarget.value as RequestFaultDraft['drop'] })
                  }
                >
                  <option value="">no</option>
                  <option value="before">before the request is handled</option>
                  <option value="after">after the request is handled</option>
                </select>
              )}
            </Field>
            <Field label="Method" name="method" error={error}>
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
            <Field label="Path" name="path" hint="{id} and * match any segment." error={error}>
              {(control) => <input {...control} {...toInputProps('path', '/events/{id}')} />}
            </Field>
          </>
        );
      }}
    </FaultForm>
  );
}
