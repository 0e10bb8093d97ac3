/** Replays a delivery with another body or to another URL. */
import { useState } from 'preact/hooks';
import { indentJson } from '../../../domain/json-text.ts';
import type { DeliveryDetail } from '../../../resources/delivery.ts';
import { control } from '../../control.ts';
import { findJsonProblem } from '../../json-problem.ts';
import { navigate, route, updateQuery } from '../../router.ts';
import { showToast } from '../../toasts.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { JsonEditor } from '../../ui/json-editor.tsx';
import { useFormSubmit } from '../../use-form-submit.ts';

interface Props {
  readonly delivery: DeliveryDetail;
  readonly onClose: () => void;
}

/** Without changes, the exact bytes are sent again, with the same ID. Anything else is a new delivery. */
export function EditReplayDialog({ delivery, onClose }: Props) {
  const [original] = useState(() => indentJson(findSentBody(delivery) ?? ''));
  const [body, setBody] = useState(original);
  const [url, setUrl] = useState(delivery.url);
  const isUrlEdited = url.trim() !== delivery.url;
  const form = useFormSubmit(['url'], async () => {
    const replay = await control.replayDelivery({
      id: delivery.id,
      ...(body !== original && { body }),
      ...(isUrlEdited && { url: url.trim() }),
    });
    onClose();
    const query = { ...route.peek().query, attempt: '', tab: '' };
    if (replay.id === delivery.id) {
      showToast('Sent again.');
      updateQuery(query);
    } else {
      showToast('Sent as a new delivery, which is open now.');
      navigate({ section: 'deliveries', id: replay.id, query });
    }
  });
  const hasProblem = original !== '' && findJsonProblem(body) !== null;
  return (
    <Dialog title="Edit and replay" onClose={onClose}>
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
        <p class="muted">Another body or URL makes a new delivery, with its own ID and retries.</p>
      </Form>
    </Dialog>
  );
}

/** The body of the latest attempt without a fault, because a fault can change the body; otherwise of the latest attempt. */
function findSentBody({ attempts }: DeliveryDetail): string | undefined {
  return (attempts.findLast(({ fault }) => fault === undefined) ?? attempts.at(-1))?.request.body;
}
