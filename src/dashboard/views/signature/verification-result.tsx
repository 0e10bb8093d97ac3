import type { Verification } from '../../../contract/delivery-schemas.ts';
import { checkStatusSymbols } from '../../../domain/delivery.ts';

/** The result of signature verification, in the words of `svc verify`. */
export function VerificationResult({
  verification: { ok, reason, detail, remedy },
}: {
  readonly verification: Verification;
}) {
  return (
    <div class={`verification-result ${ok ? 'valid' : 'invalid'}`}>
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
export function HeaderMatchBadge({ matches }: { readonly matches: boolean }) {
  return (
    <span class={`badge ${matches ? 'succeeded' : 'failed'}`}>
      <span aria-hidden="true">{checkStatusSymbols[matches ? 'passed' : 'failed']}</span>{' '}
      {matches ? 'matches the header' : 'does not match the header'}
    </span>
  );
}
