import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { ControlInput } from '../../../contract/control-operations.ts';
import { control } from '../../control.ts';
import type { FormError } from '../../form-error.ts';
import { FormErrorText } from '../../ui/field.tsx';
import { useFormSubmit } from '../../use-form-submit.ts';
import { FaultLimitFields, type FaultLimits } from './fault-limit-fields.tsx';

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
