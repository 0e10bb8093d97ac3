import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { ControlInput } from '../../../contract/control-api.ts';
import { control } from '../../control.ts';
import type { Problem } from '../../problem.ts';
import { useSubmission } from '../../submission.ts';
import { FormProblem } from '../../ui/field.tsx';
import { type Chance, ChanceFields } from './chance-fields.tsx';

interface Part<Draft> {
  readonly draft: Draft;
  readonly problem: Problem | null;
  readonly change: (changes: Partial<Draft>) => void;
}

interface Props<Draft extends Chance> {
  readonly empty: Draft;
  readonly toFault: (draft: Draft) => ControlInput<'addFault'>;
  readonly onAdded: () => void;
  /** The fields of this kind of fault; how often it fires follows. */
  readonly children: (part: Part<Draft>) => ComponentChildren;
}

/** Orders a fault, and is empty again once that is done. */
export function FaultForm<Draft extends Chance>({ empty, toFault, onAdded, children }: Props<Draft>) {
  const [draft, setDraft] = useState(empty);
  const { problem, isBusy, submit } = useSubmission(Object.keys(draft), async () => {
    await control.addFault(toFault(draft));
    setDraft(empty);
    onAdded();
  });
  const change = (changes: Partial<Draft>) => setDraft({ ...draft, ...changes });
  return (
    <form class="form" onSubmit={submit} noValidate>
      <div class="fields">
        {children({ draft, problem, change })}
        <ChanceFields
          draft={draft}
          problem={problem}
          onChange={(changes) => setDraft({ ...draft, ...changes })}
        />
      </div>
      <FormProblem problem={problem} />
      <div class="row">
        <button type="submit" class="main" disabled={isBusy}>
          Add the fault
        </button>
      </div>
    </form>
  );
}
