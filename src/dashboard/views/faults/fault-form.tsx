/** Adds a fault. The control plane checks its values. */
import type { ComponentProps } from 'preact';
import { useState } from 'preact/hooks';
import { control } from '../../control.ts';
import { connectFields, Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { useFormSubmit } from '../../use-form-submit.ts';
import { toNewFault } from './to-new-fault.ts';

type Draft = Readonly<Record<string, string>>;
export type FaultField = Omit<ComponentProps<typeof Field>, 'error' | 'value' | 'onChange'>;

/** How often a fault is applied. */
export const limitFields: readonly FaultField[] = [
  {
    name: 'count',
    label: 'Count',
    hint: 'Leave empty for no limit.',
    inputMode: 'numeric',
    placeholder: 'no limit',
  },
  { name: 'probability', label: 'Probability', hint: 'From 0 to 1.', inputMode: 'decimal', placeholder: '1' },
];

interface Props {
  readonly label: string;
  readonly action?: string;
  readonly initial: Draft;
  /** The fields of a draft. Values of other fields are not sent. */
  readonly fields: (draft: Draft) => readonly FaultField[];
  readonly toFault: (values: Draft) => Draft;
  readonly onAdded: () => void;
}

/** The form is reset after the fault was added. */
export function FaultForm({ label, action = 'Add fault', initial, fields, toFault, onAdded }: Props) {
  const [draft, setDraft] = useState(initial);
  const shown = fields(draft);
  const form = useFormSubmit(
    shown.map(({ name }) => name),
    async () => {
      const values = Object.fromEntries(shown.map(({ name }) => [name, draft[name] ?? '']));
      await control.addFault(toNewFault(toFault(values)));
      setDraft(initial);
      onAdded();
    },
  );
  const field = connectFields<Draft>(draft, setDraft, form.error);
  return (
    <Form label={label} form={form} action={action}>
      <div class="fields">
        {shown.map((props) => (
          <Field key={props.name} {...props} {...field(props.name)} />
        ))}
      </div>
    </Form>
  );
}
