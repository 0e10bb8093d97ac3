/** The request and the response of an attempt. */
import type { AttemptDetail } from '../../../contract/delivery-schemas.ts';
import { HttpBody, HttpHeaders, TextPanel } from '../../ui/http-message.tsx';
import { toRawRequest } from './attempt-formats.ts';

export function AttemptRequest({ request }: Pick<AttemptDetail, 'request'>) {
  const { url, headers, body } = request;
  const raw = toRawRequest(request);
  return (
    <div class="http-message stack">
      <p>
        <code>POST {url}</code>
      </p>
      <HttpHeaders headers={headers} />
      <HttpBody body={body} encoding="utf8" />
      <details>
        <summary>Raw HTTP request</summary>
        <TextPanel title={<h4>Raw HTTP</h4>} what="raw request" text={raw} />
      </details>
    </div>
  );
}

export function AttemptResponse({ attempt }: { readonly attempt: AttemptDetail }) {
  const { response, response_status: status, error } = attempt;
  if (response === null) return <p class="muted">No response{error === null ? '' : `: ${error}`}.</p>;
  const { headers, body, encoding, truncated } = response;
  return (
    <div class="http-message stack">
      <p>
        <code>{status}</code>
      </p>
      <HttpHeaders headers={headers} />
      <HttpBody body={body} encoding={encoding} />
      {truncated && <p class="muted">The body is truncated. Only the first part is stored.</p>}
    </div>
  );
}
