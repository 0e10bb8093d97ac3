/** Explains the signature of an attempt: the signed content, the headers, the secrets, and the verification. */
import './signature.css';
import { useState } from 'preact/hooks';
import type { Attempt, DeliveryDetail, SignatureDetail } from '../../../contract/delivery-schemas.ts';
import { isJson } from '../../../domain/json.ts';
import { control } from '../../control.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Properties } from '../../ui/properties.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { TextComparison } from '../../ui/text-comparison.tsx';
import { useQuery } from '../../use-query.ts';
import { SignatureChecker } from './signature-checker.tsx';
import { HeaderMatchBadge, joinParts, SignedContent, VerificationResult } from './verification-result.tsx';

interface Props {
  readonly deliveryId: string;
  readonly attempt: number;
}

export function SignatureView({ deliveryId, attempt }: Props) {
  const query = useQuery(
    () =>
      Promise.all([
        control.describeSignature({ id: deliveryId, attempt }),
        control.getDelivery({ id: deliveryId }),
      ]),
    [deliveryId, attempt],
  );
  return (
    <QueryView query={query} what="the signature">
      {([detail, delivery]) => (
        <SignatureDetails key={`${deliveryId} ${attempt}`} detail={detail} delivery={delivery} />
      )}
    </QueryView>
  );
}

interface SignatureDetailsProps {
  readonly detail: SignatureDetail;
  readonly delivery: DeliveryDetail;
}

function SignatureDetails({ detail, delivery }: SignatureDetailsProps) {
  const { signed_parts: parts, secrets, verification, reserialized } = detail;
  const attempt = delivery.attempts.find(({ number }) => number === detail.attempt);
  const text = joinParts(parts);
  return (
    <div class="signature stack">
      {verification === null ? (
        <p class="muted">
          This attempt cannot be verified because its secret or its signature scheme no longer exists.
        </p>
      ) : (
        <VerificationResult verification={verification} />
      )}
      <section class="stack">
        <h4 class="row">
          Signed content <CopyButton what="signed content" text={text} />
        </h4>
        <SignedContent label="Signed content" parts={parts} />
      </section>
      <section class="stack">
        <h4>Headers</h4>
        <SignatureHeaders detail={detail} />
      </section>
      <section class="stack">
        <h4>Endpoint secret</h4>
        <SigningSecrets secrets={secrets} />
      </section>
      {attempt !== undefined && (
        <AttemptChecks attempt={attempt} delivery={delivery} reserialized={reserialized} />
      )}
    </div>
  );
}

interface AttemptChecksProps {
  readonly attempt: Attempt;
  readonly delivery: DeliveryDetail;
  readonly reserialized: SignatureDetail['reserialized'];
}

function AttemptChecks({ attempt, delivery, reserialized }: AttemptChecksProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>Verify with other values</summary>
        {isOpen && <SignatureChecker deliveryId={delivery.id} attempt={attempt} />}
      </details>
      <section class="stack">
        <h4>If your receiver parses the body first</h4>
        <ReserializedBody body={attempt.request.body} reserialized={reserialized} />
      </section>
    </>
  );
}

function SignatureHeaders({
  detail: { headers, signed_parts: parts },
}: {
  readonly detail: SignatureDetail;
}) {
  const findPart = (value: string) =>
    parts.find(({ part, text }) => part !== 'literal' && text === value)?.part;
  const items = Object.entries(headers).map(([name, value]) => {
    const part = findPart(value);
    return [name, <code class={part === undefined ? '' : `signed-part ${part}`}>{value}</code>];
  });
  return <Properties items={Object.fromEntries(items)} />;
}

/** The secrets of the endpoint, masked, and the signature of each. */
function SigningSecrets({ secrets }: Pick<SignatureDetail, 'secrets'>) {
  return (
    <div class="signature-secrets stack">
      {secrets.map(({ name, masked, signature, matches }) => (
        <Properties
          key={name}
          items={{
            [name === 'current' ? 'Secret' : 'Previous secret']: <code>{masked}</code>,
            Signature: (
              <>
                <code>{signature}</code> <HeaderMatchBadge matches={matches} />
              </>
            ),
          }}
        />
      ))}
    </div>
  );
}

interface ReserializedBodyProps {
  readonly body: string;
  readonly reserialized: SignatureDetail['reserialized'];
}

/** The signature that a receiver computes after parsing and re-serializing the body. */
function ReserializedBody({ body, reserialized }: ReserializedBodyProps) {
  if (!isJson(body)) {
    return (
      <p>
        This body is not JSON, so <code>JSON.parse(body)</code> fails. Verify the raw body before you parse
        it.
      </p>
    );
  }
  if (reserialized === null) {
    return (
      <p>
        For this body, <code>JSON.stringify(JSON.parse(body))</code> returns the same bytes, so verification
        still succeeds. It fails if the body contains a number such as <code>12.50</code> or an escape such as{' '}
        <code>\u00e9</code>, or if a JSON library adds spaces.
      </p>
    );
  }
  const { body: reserializedBody, signature, matches, differs_at: at } = reserialized;
  return (
    <>
      <p>
        <code>JSON.stringify(JSON.parse(body))</code> changes the body from character {at + 1} on, so the
        signature does not match. Verify the raw body.
      </p>
      <TextComparison
        title="Body"
        left={{ title: 'Sent', text: body }}
        right={{ title: 'Parsed and serialized again', text: reserializedBody }}
      />
      <p>
        Signature: <code>{signature}</code> <HeaderMatchBadge matches={matches} />
      </p>
    </>
  );
}
