import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { ControlInput } from '../../../contract/control-operations.ts';
import { control } from '../../control.ts';
import { connectFields, Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { useFormSubmit } from '../../use-form-submit.ts';
import type { FaultLimits } from './fault-draft.ts';

interface Props<Draft extends FaultLimits> {
  readonly initial: Draft;
  readonly toFault: (draft: Draft) => ControlInput<'addFault'>;
  readonly onAdded: () => void;
  /** The fields of this kind of fault. The limit fields follow. */
  readonly children: (draft: Draft, field: ReturnType<typeof connectFields<Draft>>) => ComponentChildren;
}

/** Adds a fault, and resets the form afterwards. */
export function FaultForm<Draft extends FaultLimits>({ initial, toFault, onAdded, children }: Props<Draft>) {
  const [draft, setDraft] = useState(initial);
  const form = useFormSubmit(Object.keys(draft), async () => {
    await control.addFault(toFault(draft));
    setDraft(initial);
    onAdded();
  });
  const field = connectFields(draft, setDraft, form.error);
  return (
    <Form form={form} action="Add fault">
      <div class="fields">
        {children(draft, field)}
        <Field
          label="Count"
          {...field('count')}
          hint="Number of times to apply the fault. Leave empty for no limit."
          inputMode="numeric"
          placeholder="no limit"
        />
        <Field
          label="Probability in percent"
          {...field('probability')}
          hint="Leave empty for 100."
          inputMode="decimal"
          placeholder="100"
        />
      </div>
    </Form>
  );
}
