/** The form that creates or edits an endpoint. */
import { useState } from 'preact/hooks';
import { WILDCARD_SUBSCRIPTION } from '../../../domain/event.ts';
import { Field, FormErrorText } from '../../ui/field.tsx';
import { useEventTypes } from '../../use-event-types.ts';
import { useFormSubmit } from '../../use-form-submit.ts';
import { toggleType, toTypes, toWebhook, type WebhookDraft } from './webhook-draft.ts';

interface Props {
  readonly original: WebhookDraft;
  /** Label of the button. */
  readonly action: string;
  readonly send: (webhook: ReturnType<typeof toWebhook>) => Promise<void>;
}

export function WebhookForm({ original, action, send }: Props) {
  const [draft, setDraft] = useState(original);
  const change = (changes: Partial<WebhookDraft>) => setDraft({ ...draft, ...changes });
  const { error, isBusy, submit } = useFormSubmit(Object.keys(draft), () => send(toWebhook(draft)));
  return (
    <form class="form" onSubmit={submit} noValidate>
      <Field label="URL" name="url" hint="Where the emulator sends deliveries." error={error}>
        {(control) => (
          <input
            {...control}
            type="url"
            autofocus
            value={draft.url}
            placeholder="http://localhost:3000/webhooks"
            onInput={({ currentTarget }) => change({ url: currentTarget.value })}
          />
        )}
      </Field>
      <Field
        label="Event types"
        name="events"
        hint="Separate types with commas. * matches every type."
        error={error}
      >
        {(control) => (
          <input
            {...control}
            value={draft.events}
            placeholder="order.shipped, invoice.paid"
            onInput={({ currentTarget }) => change({ events: currentTarget.value })}
          />
        )}
      </Field>
      <EventTypeButtons selected={draft.events} onChange={(events) => change({ events })} />
      <Field
        label="Custom headers"
        name="headers"
        hint="One header per line, as Name: value. Sent with each delivery."
        error={error}
      >
        {(control) => (
          <textarea
            {...control}
            rows={2}
            spellcheck={false}
            value={draft.headers}
            placeholder="Authorization: Bearer abc"
            onInput={({ currentTarget }) => change({ headers: currentTarget.value })}
          />
        )}
      </Field>
      <label class="check">
        <input
          type="checkbox"
          checked={draft.skip_verify}
          onChange={({ currentTarget }) => change({ skip_verify: currentTarget.checked })}
        />
        Skip TLS certificate verification
      </label>
      <FormErrorText error={error} />
      <div class="row">
        <button type="submit" class="primary" disabled={isBusy}>
          {action}
        </button>
      </div>
    </form>
  );
}

interface EventTypeButtonsProps {
  readonly selected: string;
  readonly onChange: (types: string) => void;
}

function EventTypeButtons({ selected, onChange }: EventTypeButtonsProps) {
  const types = useEventTypes();
  const selectedTypes = new Set(toTypes(selected));
  return (
    <fieldset class="webhooks-types">
      <legend class="visually-hidden">Known event types</legend>
      {[WILDCARD_SUBSCRIPTION, ...types].map((type) => (
        <button
          key={type}
          type="button"
          aria-pressed={selectedTypes.has(type)}
          aria-label={type === WILDCARD_SUBSCRIPTION ? 'Every type' : type}
          onClick={() => onChange(toggleType(selected, type))}
        >
          {type}
        </button>
      ))}
    </fieldset>
  );
}
