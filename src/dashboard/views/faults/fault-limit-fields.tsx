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

/** How often a fault fires: both kinds of them have that. */
export function FaultLimitFields({ draft, problem, onChange }: Props) {
  return (
    <>
      <Field label="How often" name="count" hint="Empty: until it is cleared." error={problem}>
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
      <Field label="By chance, in percent" name="probability" hint="Empty: every time." error={problem}>
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
