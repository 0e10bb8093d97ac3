import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { ControlInput } from '../../../contract/control-operations.ts';
import { control } from '../../control.ts';
import { Field, FormErrorText } from '../../ui/field.tsx';
import { type FormError, useFormSubmit } from '../../use-form-submit.ts';
import type { FaultLimits } from './fault-draft.ts';

interface FieldsProps<Draft> {
  readonly draft: Draft;
  readonly error: FormError | null;
  readonly change: (changes: Partial<Draft>) => void;
}

interface Props<Draft extends FaultLimits> {
  readonly empty: Draft;
  readonly toFault: (draft: Draft) => ControlInput<'addFault'>;
  readonly onAdded: () => void;
  /** The fields of this kind of fault. The limit fields follow. */
  readonly children: (props: FieldsProps<Draft>) => ComponentChildren;
}

/** Adds a fault and clears the form afterwards. */
export function FaultForm<Draft extends FaultLimits>({ empty, toFault, onAdded, children }: Props<Draft>) {
  const [draft, setDraft] = useState(empty);
  const { error, isBusy, submit } = useFormSubmit(Object.keys(draft), async () => {
    await control.addFault(toFault(draft));
    setDraft(empty);
    onAdded();
  });
  const change = (changes: Partial<Draft>) => setDraft({ ...draft, ...changes });
  return (
    <form class="stack" onSubmit={submit} noValidate>
      <div class="fields">
        {children({ draft, error, change })}
        <FaultLimitFields
          draft={draft}
          error={error}
          onChange={(changes) => setDraft({ ...draft, ...changes })}
        />
      </div>
      <FormErrorText error={error} />
      <div class="row">
        <button type="submit" class="primary" disabled={isBusy}>
          Add fault
        </button>
      </div>
    </form>
  );
}

interface FaultLimitFieldsProps {
  readonly draft: FaultLimits;
  readonly error: FormError | null;
  readonly onChange: (changes: Partial<FaultLimits>) => void;
}

/** The fields that limit how often a fault is applied, for both kinds of faults. */
function FaultLimitFields({ draft, error, onChange }: FaultLimitFieldsProps) {
  return (
    <>
      <Field
        label="Count"
        name="count"
        hint="How often the fault is applied. Leave empty to keep it until you remove it."
        error={error}
      >
        {(control) => (
          <input
            {...control}
            inputMode="numeric"
            value={draft.count}
            placeholder="always"
            onInput={({ currentTarget }) => onChange({ count: currentTarget.value })}
          />
        )}
      </Field>
      <Field label="Probability in percent" name="probability" hint="Leave empty for 100." error={error}>
        {(control) => (
          <input
            {...control}
            inputMode="decimal"
            value={draft.probability}
            placeholder="100"
            onInput={({ currentTarget }) => onChange({ probability: currentTarget.value })}
          />
        )}
      </Field>
    </>
  );
}
