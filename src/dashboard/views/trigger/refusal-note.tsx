import { toHash } from '../../address.ts';
import type { Refusal } from '../../public-api.ts';

/** An error of the API as a client sees it (§7). */
export function RefusalNote({
  refusal: { status, code, message, requestId },
}: {
  readonly refusal: Refusal;
}) {
  return (
    <div class="trigger-refusal" role="alert">
      <p>
        <strong>
          {status === 0 ? '' : status} <code>{code}</code>
        </strong>{' '}
        {message}
      </p>
      {requestId !== null && (
        <p>
          Request{' '}
          <a class="mono" href={toHash({ section: 'requests', id: requestId })}>
            {requestId}
          </a>
        </p>
      )}
    </div>
  );
}
