import { useRef, useState } from 'preact/hooks';
import type { Attempt, SignatureCheck } from '../../../contract/delivery-schemas.ts';
import { control } from '../../control.ts';
import { connectFields, Field } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { useQuery } from '../../use-query.ts';
import { type CheckInput, mistakes, toCheckRequest, unchangedInput } from './check-input.ts';
import { HeaderMatchBadge, SignedContent, VerificationResult } from './verification-result.tsx';

interface Props {
  readonly deliveryId: string;
  readonly attempt: Attempt;
}

const TYPING_MS = 200;

/** Verifies the signature of an attempt step by step, with values that the user can change. */
export function SignatureChecker(props: Props) {
  const [runCount, setRunCount] = useState(0);
  return (
    <>
      <div class="row">
        <button type="button" onClick={() => setRunCount(runCount + 1)}>
          <Icon name="replay" /> {runCount === 0 ? 'Verify' : 'Verify again'}
        </button>
        <span class="muted">
          Verifies the attempt as a correct receiver does. Change the secret, the body or the time, or enter
          the digest that your receiver computed.
        </span>
      </div>
      {runCount > 0 && <Checker {...props} runCount={runCount} />}
    </>
  );
}

function Checker({ deliveryId: id, attempt, runCount }: Props & { readonly runCount: number }) {
  const { number, sent_at: sentAt, request } = attempt;
  const [input, setInput] = useState(unchangedInput);
  const query = useQuery(
    () => control.checkSignature(toCheckRequest(input, { id, attempt: number, sentAt })),
    [runCount],
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
        {(check) => <Steps key={runCount} check={check} checkInput={input} attempt={attempt} />}
      </QueryView>
    </div>
  );
}

interface StepsProps {
  readonly check: SignatureCheck;
  readonly checkInput: CheckInput;
  readonly attempt: Attempt;
}

function Steps({
  check: { signed_parts: parts, signatures, verification },
  checkInput,
  attempt,
}: StepsProps) {
  const { body: sentBody } = attempt.request;
  const body = checkInput.body ?? sentBody;
  return (
    <ol class="signature-steps stack">
      <li>
        <h5>Read the raw body before parsing it</h5>
        <p>
          {new TextEncoder().encode(body).length} bytes
          {body !== sentBody && '. The body differs from the sent one.'}
        </p>
      </li>
      <li>
        <h5>Build the signed content from the headers and the body</h5>
        <SignedContent label="Signed content that the receiver builds" parts={parts} />
      </li>
      <li>
        <h5>Compute the HMAC {checkInput.secret === '' ? 'with the endpoint secret' : 'with your secret'}</h5>
        {signatures.length === 0 && <p>Cannot compute a signature: the secret is invalid.</p>}
        {signatures.map(({ signature, matches }) => (
          <p key={signature}>
            <code>{signature}</code> <HeaderMatchBadge matches={matches} />
          </p>
        ))}
      </li>
      <li aria-live="polite">
        <h5>
          {checkInput.computed.trim() === ''
            ? 'Compare the signature with the header and check the age of the timestamp'
            : 'Find the mistake that produces the digest of your receiver'}
        </h5>
        <VerificationResult verification={verification} />
      </li>
    </ol>
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
