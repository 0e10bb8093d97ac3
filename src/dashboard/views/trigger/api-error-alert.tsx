import { toHash } from '../../address.ts';
import type { ApiErrorResponse } from '../../public-api-client.ts';

/** An error of the API as a client receives it (§7). */
export function ApiErrorAlert({
  apiErrorResponse: { status, code, message, requestId },
}: {
  readonly apiErrorResponse: ApiErrorResponse;
}) {
  return (
    <div class="api-error" role="alert">
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
