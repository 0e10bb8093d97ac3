/** Explains the signature of an attempt: the signed content, the headers, the secrets, and the verification. */
import './signature.css';
import { useState } from 'preact/hooks';
import type { DeliveryDetail, SignatureDetail } from '../../../contract/delivery-schemas.ts';
import { control } from '../../control.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Properties } from '../../ui/properties.tsx';
import { QueryView } from '../../ui/query-view.tsx';
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
  const [isOpen, setOpen] = useState(false);
  const { signed_parts: parts, secrets, verification } = detail;
  const attempt = delivery.attempts.find(({ number }) => number === detail.attempt);
  const text = joinParts(parts);
  return (
    <div class="signature stack">
      {verification === null ? (
        <p class="muted">
          This attempt cannot be verified because its secret or its signature scheme no longer exists.
        </p>
      ) : (
        <VerificationResult verification={verification} valid="svc signed this attempt correctly" />
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
        <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
          <summary>Verify with other values</summary>
          {isOpen && <SignatureChecker deliveryId={delivery.id} attempt={attempt} />}
        </details>
      )}
    </div>
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
