import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { ControlInput } from '../../../contract/control-operations.ts';
import { control } from '../../control.ts';
import { Field, FormErrorText } from '../../ui/field.tsx';
import { type FormError, useFormSubmit } from '../../use-form-submit.ts';

interface Part<Draft> {
  readonly draft: Draft;
  readonly problem: FormError | null;
  readonly change: (changes: Partial<Draft>) => void;
}

interface Props<Draft extends FaultLimits> {
  readonly empty: Draft;
  readonly toFault: (draft: Draft) => ControlInput<'addFault'>;
  readonly onAdded: () => void;
  /** The fields of this kind of fault. The limit fields follow. */
  readonly children: (part: Part<Draft>) => ComponentChildren;
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
    <form class="form" onSubmit={submit} noValidate>
      <div class="fields">
        {children({ draft, problem: error, change })}
        <FaultLimitFields
          draft={draft}
          problem={error}
          onChange={(changes) => setDraft({ ...draft, ...changes })}
        />
      </div>
      <FormErrorText problem={error} />
      <div class="row">
        <button type="submit" class="primary" disabled={isBusy}>
          Add fault
        </button>
      </div>
    </form>
  );
}

export interface FaultLimits {
  readonly count: string;
  readonly probability: string;
}

interface FaultLimitFieldsProps {
  readonly draft: FaultLimits;
  readonly problem: FormError | null;
  readonly onChange: (changes: Partial<FaultLimits>) => void;
}

/** The fields that limit how often a fault fires, for both kinds of faults. */
export function FaultLimitFields({ draft, problem, onChange }: FaultLimitFieldsProps) {
  return (
    <>
      <Field
        label="Count"
        name="count"
        hint="Leave empty to keep the fault until you remove it."
        error={problem}
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
      <Field label="Probability in percent" name="probability" hint="Leave empty for 100." error={problem}>
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
