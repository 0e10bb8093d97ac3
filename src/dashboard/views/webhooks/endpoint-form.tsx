/** The form of an endpoint: a field for each setting of its table. */
import { useState } from 'preact/hooks';
import { connectFields, Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { useFormSubmit } from '../../use-form-submit.ts';
import { defaults, type FormSettings, formTable, toDraft, toSettings } from './endpoint-draft.ts';

const fieldProps: Readonly<Record<string, object>> = {
  url: { placeholder: 'http://localhost:3000/webhooks', inputMode: 'url', autofocus: true },
  events: { hint: 'Separate types with commas. * matches every type.' },
  headers: {
    hint: 'One header per line, as Name: value.',
    rows: 2,
    placeholder: 'Authorization: Bearer abc',
  },
  skip_verify: { options: { '': 'verify the certificate', true: 'accept every certificate' } },
};

interface Props {
  /** The endpoint to change (default: a new one). */
  readonly original?: FormSettings;
  readonly action: string;
  readonly send: (settings: FormSettings) => Promise<void>;
  readonly onClose: () => void;
}

export function EndpointForm({ original = defaults, action, send, onClose }: Props) {
  const [draft, setDraft] = useState(() => toDraft(original));
  const form = useFormSubmit(Object.keys(formTable), () => send(toSettings(draft)));
  const field = connectFields(draft, setDraft, form.error);
  return (
    <Form form={form} action={action} onClose={onClose}>
      {Object.entries(formTable).map(([name, { label }]) => (
        <Field key={name} label={label} {...fieldProps[name]} {...field(name)} />
      ))}
    </Form>
  );
}
