import type { FormError } from '../../form-error.ts';
import { Field } from '../../ui/field.tsx';

export interface FaultLimits {
  readonly count: string;
  readonly probability: string;
}

interface Props {
  readonly draft: FaultLimits;
  readonly problem: FormError | null;
  readonly onChange: (changes: Partial<FaultLimits>) => void;
}

/** The fields that limit how often a fault fires, for both kinds of faults. */
export function FaultLimitFields({ draft, problem, onChange }: Props) {
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
