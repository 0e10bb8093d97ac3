import { useRef, useState } from 'preact/hooks';
import type { Attempt, SignatureCheck } from '../../../contract/deliveries.ts';
import { useAsked } from '../../asked.ts';
import { control } from '../../control.ts';
import { Icon } from '../../ui/icon.tsx';
import { Answer } from '../../ui/state.tsx';
import { findDifference } from './difference.ts';
import { Match } from './match.tsx';
import { SignedString } from './signed-string.tsx';
import { type Trial, toCheck, untouched } from './trial.ts';
import { TrialForm } from './trial-form.tsx';
import { Verdict } from './verdict.tsx';

interface Props {
  readonly deliveryId: string;
  readonly attempt: Attempt;
}

const TYPING_MS = 200;

/** Does the check before the eyes of the reader, who may change what goes into it. */
export function CheckAgain(props: Props) {
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
      {round > 0 && <Bench {...props} round={round} />}
    </>
  );
}

function Bench({ deliveryId: id, attempt, round }: Props & { readonly round: number }) {
  const { number, sent_at: sentAt, request } = attempt;
  const [trial, setTrial] = useState(untouched);
  const asked = useAsked(
    () => control.checkSignature(toCheck(trial, { id, attempt: number, sentAt })),
    [round],
  );
  const timer = useRef(0);
  const change = (next: Trial) => {
    setTrial(next);
    clearTimeout(timer.current);
    timer.current = window.setTimeout(asked.again, TYPING_MS);
  };
  return (
    <div class="signature-bench">
      <TrialForm trial={trial} onChange={change} sentBody={request.body} />
      <Answer asked={asked} what="the check">
        {(check) => <Steps key={round} check={check} trial={trial} attempt={attempt} />}
      </Answer>
    </div>
  );
}

interface StepsProps {
  readonly check: SignatureCheck;
  readonly trial: Trial;
  readonly attempt: Attempt;
}

function Steps({ check: { signed_parts: parts, signatures, verification }, trial, attempt }: StepsProps) {
  const { body: sent } = attempt.request;
  const body = trial.body ?? sent;
  const differsAt = findDifference(sent, body);
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
        <SignedString label="The string that the receiver puts together" parts={parts} />
      </li>
      <li>
        <h5>
          Compute its HMAC {trial.secret === '' ? 'with the secret of the endpoint' : 'with your secret'}
        </h5>
        {signatures.length === 0 && <p>There is no key in this secret.</p>}
        {signatures.map(({ signature, matches }) => (
          <p key={signature}>
            <code>{signature}</code> <Match matches={matches} />
          </p>
        ))}
      </li>
      <li aria-live="polite">
        <h5>
          {trial.computed.trim() === ''
            ? 'Compare it with the header, then look at the age of the timestamp'
            : 'Find what leads to the digest that your receiver computed'}
        </h5>
        <Verdict verification={verification} />
      </li>
    </ol>
  );
}
