import { useRef, useState } from 'preact/hooks';
import type { Attempt, SignatureCheck } from '../../../contract/delivery-schemas.ts';
import { control } from '../../control.ts';
import { Icon } from '../../ui/icon.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { useQuery } from '../../use-query.ts';
import { CheckForm } from './check-form.tsx';
import { type CheckInput, toCheckRequest, unchangedInput } from './check-input.ts';
import { SignedContent } from './signed-content.tsx';
import { findFirstDifference } from './text-excerpt.ts';
import { HeaderMatchBadge, VerificationResult } from './verification-result.tsx';

interface Props {
  readonly deliveryId: string;
  readonly attempt: Attempt;
}

const TYPING_MS = 200;

/** Verifies the signature of an attempt step by step, with values that the user can change. */
export function SignatureChecker(props: Props) {
  const [round, setRound] = useState(0);
  return (
    <>
      <div class="row">
        <button type="button" onClick={() => setRound(round + 1)}>
          <Icon name="replay" /> {round === 0 ? 'Verify' : 'Verify again'}
        </button>
        <span class="muted">
          Verifies the attempt as your receiver does. Change the secret, the body or the time, or enter the
          digest that your receiver computed.
        </span>
      </div>
      {round > 0 && <Checker {...props} round={round} />}
    </>
  );
}

function Checker({ deliveryId: id, attempt, round }: Props & { readonly round: number }) {
  const { number, sent_at: sentAt, request } = attempt;
  const [trial, setTrial] = useState(unchangedInput);
  const query = useQuery(
    () => control.checkSignature(toCheckRequest(trial, { id, attempt: number, sentAt })),
    [round],
  );
  const timer = useRef(0);
  const change = (next: CheckInput) => {
    setTrial(next);
    clearTimeout(timer.current);
    timer.current = window.setTimeout(query.refetch, TYPING_MS);
  };
  return (
    <div class="signature-checker">
      <CheckForm input={trial} onChange={change} sentBody={request.body} />
      <QueryView query={query} what="the verification">
        {(check) => <Steps key={round} check={check} checkInput={trial} attempt={attempt} />}
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
  const { body: sent } = attempt.request;
  const body = checkInput.body ?? sent;
  const differsAt = findFirstDifference(sent, body);
  return (
    <ol class="signature-steps">
      <li>
        <h5>Read the raw body before parsing it</h5>
        <p>
          {new TextEncoder().encode(body).length} bytes
          {differsAt !== null && `. The body differs from the sent body at character ${differsAt + 1}.`}
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
