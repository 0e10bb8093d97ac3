/** Parts of the signature views: the result of a verification, and the signed content. */
import type { SignatureDetail, Verification } from '../../../contract/delivery-schemas.ts';
import { checkStatusSymbols } from '../../../domain/delivery.ts';

/** The result of signature verification, in the words of `svc verify`. @param valid what a valid signature shows */
export function VerificationResult({
  verification: { ok, reason, detail, remedy },
  valid = 'valid',
}: {
  readonly verification: Verification;
  readonly valid?: string;
}) {
  return (
    <div class={`verification-result notice ${ok ? 'succeeded' : 'failed'}`}>
      <p>
        <strong>
          <span aria-hidden="true">{checkStatusSymbols[ok ? 'passed' : 'failed']}</span> {ok ? valid : reason}
        </strong>{' '}
        {detail}
      </p>
      {remedy !== null && <p>{remedy}</p>}
    </div>
  );
}

/** Whether a signature equals the one in the header. */
export function HeaderMatchBadge({ matches }: { readonly matches: boolean }) {
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
export function SignedContent({ label, parts }: { readonly label: string; readonly parts: Parts }) {
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

export function joinParts(parts: Parts): string {
  return parts.map(({ text }) => text).join('');
}
