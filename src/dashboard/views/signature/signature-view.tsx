/** Explains the signature of an attempt: the signed content, the headers, the secrets, and the verification. */
import './signature.css';
import type { SignatureDetail, Verification } from '../../../contract/delivery-schemas.ts';
import { checkStatusSymbols } from '../../../domain/delivery.ts';
import { control } from '../../control.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Properties } from '../../ui/properties.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { useQuery } from '../../use-query.ts';

interface Props {
  readonly deliveryId: string;
  readonly attempt: number;
}

export function SignatureView({ deliveryId, attempt }: Props) {
  const query = useQuery(() => control.describeSignature({ id: deliveryId, attempt }), [deliveryId, attempt]);
  return (
    <QueryView query={query} what="the signature">
      {(detail) => <SignatureDetails detail={detail} deliveryId={deliveryId} />}
    </QueryView>
  );
}

interface SignatureDetailsProps {
  readonly detail: SignatureDetail;
  readonly deliveryId: string;
}

function SignatureDetails({ detail, deliveryId }: SignatureDetailsProps) {
  const { signed_parts: parts, secrets, verification } = detail;
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
      <p class="muted">
        To verify it with other values, use <code>svc verify --delivery {deliveryId}</code> with{' '}
        <code>--payload</code>, <code>--secret</code>, <code>--computed</code> or <code>--now</code>.
      </p>
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

/** The result of signature verification, in the words of `svc verify`. */
function VerificationResult({
  verification: { ok, reason, detail, remedy },
}: {
  readonly verification: Verification;
}) {
  return (
    <div class={`verification-result notice ${ok ? 'succeeded' : 'failed'}`}>
      <p>
        <strong>
          <span aria-hidden="true">{checkStatusSymbols[ok ? 'passed' : 'failed']}</span>{' '}
          {ok ? 'valid' : reason}
        </strong>{' '}
        {detail}
      </p>
      {remedy !== null && <p>{remedy}</p>}
    </div>
  );
}

/** Whether a signature equals the one in the header. */
function HeaderMatchBadge({ matches }: { readonly matches: boolean }) {
  return (
    <span class={`badge ${matches ? 'succeeded' : 'failed'}`}>
      <span aria-hidden="true">{checkStatusSymbols[matches ? 'passed' : 'failed']}</span>{' '}
      {matches ? 'matches the header' : 'does not match the header'}
    </span>
  );
}

type Parts = SignatureDetail['signed_parts'];

const partNames = {
  id: 'delivery ID',
  timestamp: 'timestamp',
  body: 'body',
  literal: 'constant text',
} as const;

/** The signed content, with each part marked by a color and a name. */
function SignedContent({ label, parts }: { readonly label: string; readonly parts: Parts }) {
  const bytes = new TextEncoder().encode(joinParts(parts)).length;
  return (
    <figure class="signed-content">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable with the keyboard. */}
      <section class="text-box" tabIndex={0} aria-label={label}>
        {parts.map(({ part, text }, index) => (
          <span key={index} class={`signed-part ${part}`}>
            <span class="signed-part-name">{partNames[part]}</span>
            <code>{text}</code>
          </span>
        ))}
      </section>
      <figcaption class="muted">{bytes} bytes. Nothing is added between the parts.</figcaption>
    </figure>
  );
}

function joinParts(parts: Parts): string {
  return parts.map(({ text }) => text).join('');
}
