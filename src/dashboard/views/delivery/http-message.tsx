/** The request and the response of an attempt as text. Nothing in it becomes markup. */
import type { ComponentChildren } from 'preact';
import type { AttemptDetail } from '../../../contract/delivery-schemas.ts';
import { indentJson } from '../../../domain/json.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { JsonHighlight } from '../../ui/json-editor.tsx';
import { toRawRequest } from './attempt-formats.ts';

export function AttemptRequest({ request }: Pick<AttemptDetail, 'request'>) {
  const { url, headers, body } = request;
  const raw = toRawRequest(request);
  return (
    <div class="http-message stack">
      <p>
        <code>POST {url}</code>
      </p>
      <Headers headers={headers} />
      <Body body={body} />
      <details>
        <summary>Raw HTTP request</summary>
        <Panel title="Raw HTTP" copy={raw} what="raw request">
          <pre>{raw}</pre>
        </Panel>
      </details>
    </div>
  );
}

export function AttemptResponse({ attempt }: { readonly attempt: AttemptDetail }) {
  const { response, response_status: status } = attempt;
  if (response === null) return <p class="muted">No response.</p>;
  const { headers, body, encoding, truncated } = response;
  return (
    <div class="http-message stack">
      <p>
        <code>{status}</code>
      </p>
      <Headers headers={headers} />
      {body === '' && <p class="muted">The body is empty.</p>}
      {body !== '' && encoding === 'utf8' && <Body body={body} />}
      {encoding === 'base64' && (
        <Panel title={`Binary body (${atob(body).length} bytes, base64)`} copy={body} what="base64 body">
          <pre>{body}</pre>
        </Panel>
      )}
      {truncated && <p class="muted">The body is truncated. Only the first part is stored.</p>}
    </div>
  );
}

function Headers({ headers }: { readonly headers: Readonly<Record<string, string>> }) {
  return (
    <table class="http-headers">
      <thead class="visually-hidden">
        <tr>
          <th>Header</th>
          <th>Value</th>
        </tr>
      </thead>
      <tbody>
        {Object.entries(headers).map(([name, value]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td class="mono">{value}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A JSON body formatted and raw; another text only raw. */
function Body({ body }: { readonly body: string }) {
  const pretty = indentJson(body);
  const size = new TextEncoder().encode(body).length;
  const raw = (
    <Panel title={`Raw (${size} bytes)`} copy={body} what="raw body">
      <pre>{body}</pre>
    </Panel>
  );
  if (pretty === body) return raw;
  return (
    <div class="http-bodies">
      <Panel title="Formatted" copy={pretty} what="formatted body">
        <JsonHighlight text={pretty} />
      </Panel>
      {raw}
    </div>
  );
}

interface PanelProps {
  readonly title: string;
  readonly copy: string;
  /** What the button copies. */
  readonly what: string;
  readonly children: ComponentChildren;
}

function Panel({ title, copy, what, children }: PanelProps) {
  return (
    <div class="delivery-panel">
      <div class="row">
        <h4>{title}</h4>
        <CopyButton what={what} text={copy} />
      </div>
      {children}
    </div>
  );
}
