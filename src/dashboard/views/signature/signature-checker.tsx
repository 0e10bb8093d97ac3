import { useRef, useState } from 'preact/hooks';
import type { Attempt } from '../../../contract/delivery-schemas.ts';
import { control } from '../../control.ts';
import { connectFields, Field } from '../../ui/field.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { useQuery } from '../../use-query.ts';
import { type CheckInput, mistakes, toCheckRequest, unchangedInput } from './check-input.ts';
import { HeaderMatchBadge, VerificationResult } from './verification-result.tsx';

interface Props {
  readonly deliveryId: string;
  readonly attempt: Attempt;
}

const TYPING_MS = 200;

/** Verifies the signature of an attempt as a correct receiver does, with values that the user can change. */
export function SignatureChecker({ deliveryId: id, attempt }: Props) {
  const { number, sent_at: sentAt, request } = attempt;
  const [input, setInput] = useState(unchangedInput);
  const query = useQuery(
    () => control.verifyDelivery(toCheckRequest(input, { id, attempt: number, sentAt })),
    [id, number],
  );
  const timer = useRef(0);
  const change = (newInput: CheckInput) => {
    setInput(newInput);
    clearTimeout(timer.current);
    timer.current = window.setTimeout(query.refetch, TYPING_MS);
  };
  return (
    <div class="stack">
      <CheckForm input={input} onChange={change} sentBody={request.body} />
      <QueryView query={query} loadingText="Verifying…">
        {({ signatures, ...verification }) => (
          <div class="stack" aria-live="polite">
            {signatures.map(({ signature, matches }) => (
              <p key={signature}>
                <code>{signature}</code> <HeaderMatchBadge matches={matches} />
              </p>
            ))}
            <VerificationResult verification={verification} />
          </div>
        )}
      </QueryView>
    </div>
  );
}

interface CheckFormProps {
  readonly input: CheckInput;
  readonly onChange: (checkInput: CheckInput) => void;
  readonly sentBody: string;
}

function CheckForm({ input, onChange, sentBody }: CheckFormProps) {
  const field = connectFields(input, onChange, null);
  return (
    <form class="signature-form stack" onSubmit={(event) => event.preventDefault()}>
      <fieldset class="row">
        <legend>Try a common mistake</legend>
        {mistakes.map(({ name, change }) => (
          <button
            key={name}
            type="button"
            onClick={() => onChange({ ...unchangedInput, ...change(sentBody) })}
          >
            {name}
          </button>
        ))}
        <button type="button" disabled={input === unchangedInput} onClick={() => onChange(unchangedInput)}>
          Reset
        </button>
      </fieldset>
      <div class="fields">
        <Field label="Secret" {...field('secret')} placeholder="endpoint secret" />
        <Field label="Minutes after sending" {...field('minutesLater')} inputMode="decimal" placeholder="0" />
        <Field
          label="Tolerance in minutes"
          {...field('toleranceMinutes')}
          inputMode="decimal"
          placeholder="default"
        />
      </div>
      <Field label="Digest that your receiver computed" {...field('computed')} placeholder="v1=…" />
      <Field
        label="Body that your receiver received"
        {...field('body')}
        value={input.body ?? sentBody}
        onChange={(body) => onChange({ ...input, body: body === sentBody ? null : body })}
        rows={4}
      />
    </form>
  );
}
