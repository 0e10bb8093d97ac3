/** The replay dialogs: for one delivery, or for all that a filter selects. */
import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { indentJson } from '../../../domain/json-text.ts';
import type { Delivery, DeliveryDetail } from '../../../resources/delivery.ts';
import { control } from '../../control.ts';
import { findJsonProblem } from '../../json-problem.ts';
import { navigate, route } from '../../router.ts';
import { showToast } from '../../toasts.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { JsonEditor } from '../../ui/json-editor.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { useFormSubmit } from '../../use-form-submit.ts';
import { useQuery } from '../../use-query.ts';
import { BulkReplayForm, type DeliverySelection } from './bulk-replay-form.tsx';

/** Rendered once, by the list of deliveries. It closes when the list is left. */
export function ReplayDialog() {
  const request = replayRequest.value;
  const close = () => {
    replayRequest.value = null;
  };
  useEffect(() => close, []);
  if (request === null) return null;
  if ('filter' in request) {
    return (
      <Dialog title="Replay all matches" onClose={close}>
        <BulkReplayForm filter={request.filter} onClose={close} />
      </Dialog>
    );
  }
  return (
    <Dialog title="Edit and replay" onClose={close}>
      <LoadedEditForm id={request.delivery.id} onClose={close} />
    </Dialog>
  );
}

function LoadedEditForm({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const query = useQuery(() => control.getDelivery({ id }), [id]);
  return (
    <QueryView query={query} what="the body">
      {(delivery) => <EditForm delivery={delivery} onClose={onClose} />}
    </QueryView>
  );
}

interface EditFormProps {
  readonly delivery: DeliveryDetail;
  readonly onClose: () => void;
}

/** Without changes, the exact bytes are sent again, with the same ID. Anything else is a new delivery. */
function EditForm({ delivery, onClose }: EditFormProps) {
  const [original] = useState(() => indentJson(findSentBody(delivery) ?? ''));
  const [body, setBody] = useState(original);
  const [url, setUrl] = useState(delivery.url);
  const [isNew, setNew] = useState(false);
  const isUrlEdited = url.trim() !== delivery.url;
  const isEdited = body !== original || isUrlEdited;
  const form = useFormSubmit(['url', 'body'], async () => {
    const replay = await control.replayDelivery({
      id: delivery.id,
      ...(isNew && { new_id: true as const }),
      ...(body !== original && { body }),
      ...(isUrlEdited && { url: url.trim() }),
    });
    onClose();
    showToast(replay.id === delivery.id ? 'Sent again.' : 'Sent as a new delivery, which is open now.');
    navigate({
      section: 'deliveries',
      id: replay.id,
      query: { ...route.peek().query, attempt: '', tab: '' },
    });
  });
  const hasProblem = original !== '' && findJsonProblem(body) !== null;
  return (
    <Form form={form} action="Replay" isDisabled={hasProblem} onClose={onClose}>
      {original === '' ? (
        <p class="muted">The delivery has not been sent yet, so it has no body to edit.</p>
      ) : (
        <JsonEditor label="Body" value={body} original={original} onInput={setBody} autofocus />
      )}
      <Field
        label="URL"
        name="url"
        error={form.error}
        hint={isUrlEdited ? 'The custom headers of the endpoint are not sent to this URL.' : ''}
        value={url}
        onChange={setUrl}
        inputMode="url"
      />
      <label class="check">
        <input
          type="checkbox"
          checked={isNew || isEdited}
          disabled={isEdited}
          onChange={({ currentTarget }) => setNew(currentTarget.checked)}
        />
        As a new delivery, with its own ID and retries
      </label>
    </Form>
  );
}

/** The body of the latest attempt without a fault, because a fault can change the body; otherwise of the latest attempt. */
function findSentBody({ attempts }: DeliveryDetail): string | undefined {
  return (attempts.findLast(({ fault }) => fault === undefined) ?? attempts.at(-1))?.request.body;
}

type ReplayRequest = { readonly delivery: Pick<Delivery, 'id'> } | { readonly filter: DeliverySelection };

const replayRequest = signal<ReplayRequest | null>(null);

export function openReplayDialog(delivery: Pick<Delivery, 'id'>): void {
  replayRequest.value = { delivery };
}

export function openBulkReplayDialog(filter: DeliverySelection): void {
  replayRequest.value = { filter };
}
