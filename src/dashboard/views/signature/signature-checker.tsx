import { useRef, useState } from 'preact/hooks';
import type { Attempt, SignatureCheck } from '../../../contract/delivery-schemas.ts';
import { control } from '../../control.ts';
import { Icon } from '../../ui/icon.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { useQuery } from '../../use-query.ts';
import { CheckForm } from './check-form.tsx';
import { type CheckInput, toCheckRequest, unchangedInput } from './check-input.ts';
import { HeaderMatchBadge } from './header-match-badge.tsx';
import { SignedContent } from './signed-content.tsx';
import { findFirstDifference } from './text-excerpt.ts';
import { VerificationResult } from './verification-result.tsx';

interface Props {
  readonly deliveryId: string;
  readonly attempt: Attempt;
}

const TYPING_MS = 200;

/** Does the check before the eyes of the reader, who may change what goes into it. */
export function SignatureChecker(props: Props) {
  const [round, setRound] = useState(0);
  return (
    <>
      <div class="row">
        <button type="button" onClick={() => setRound(round + 1)}>
          <Icon name="replay" /> Check again
        </button>
        <span class="muted">
          What your receiver does, step by step. Change the secret, the body or the time, or enter the digest
          that your receiver computed.
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
    <div class="signature-bench">
      <CheckForm input={trial} onChange={change} sentBody={request.body} />
      <QueryView query={query} what="the check">
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
        <h5>Take the body as it arrived, before anything parses it</h5>
        <p>
          {new TextEncoder().encode(body).length} bytes
          {differsAt !== null && `, other than what was sent from character ${differsAt + 1} on`}
        </p>
      </li>
      <li>
        <h5>Put the string together, of the headers and the body</h5>
        <SignedContent label="The string that the receiver puts together" parts={parts} />
      </li>
      <li>
        <h5>
          Compute its HMAC {checkInput.secret === '' ? 'with the secret of the endpoint' : 'with your secret'}
        </h5>
        {signatures.length === 0 && <p>There is no key in this secret.</p>}
        {signatures.map(({ signature, matches }) => (
          <p key={signature}>
            <code>{signature}</code> <HeaderMatchBadge matches={matches} />
          </p>
        ))}
      </li>
      <li aria-live="polite">
        <h5>
          {checkInput.computed.trim() === ''
            ? 'Compare it with the header, then look at the age of the timestamp'
            : 'Find what leads to the digest that your receiver computed'}
        </h5>
        <VerificationResult verification={verification} />
      </li>
    </ol>
  );
}
