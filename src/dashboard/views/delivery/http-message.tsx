/** The request and the response of an attempt as text. Nothing in it becomes markup. */
import type { ComponentChildren } from 'preact';
import type { AttemptDetail } from '../../../contract/delivery-schemas.ts';
import { indentJson } from '../../../domain/json.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { JsonView } from '../../ui/json-view.tsx';
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
      <Headers headers={headers} />
      {body === '' && <p class="muted">The body is empty.</p>}
      {body !== '' && encoding === 'utf8' && <Body body={body} />}
      {encoding === 'base64' && (
        <TextPanel
          title={<h4>Binary body ({atob(body).length} bytes, base64)</h4>}
          what="base64 body"
          text={body}
        />
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
  const raw = <TextPanel title={<h4>Raw ({size} bytes)</h4>} what="raw body" text={body} />;
  if (pretty === body) return raw;
  return (
    <div class="http-bodies">
      <TextPanel title={<h4>Formatted</h4>} what="formatted body" text={pretty}>
        <JsonView label="Formatted body" text={pretty} />
      </TextPanel>
      {raw}
    </div>
  );
}

interface TextPanelProps {
  readonly title: ComponentChildren;
  /** What the button copies, as in "Copy raw request". */
  readonly what: string;
  readonly text: string;
  /** Text of the button; without it only the icon is shown. */
  readonly label?: string;
  /** The text in another form. */
  readonly children?: ComponentChildren;
}

/** A text with a button that copies it. */
export function TextPanel({ title, what, text, label, children }: TextPanelProps) {
  return (
    <div class="delivery-panel">
      <div class="row">
        {title}
        <CopyButton what={what} text={text} {...(label !== undefined && { label })} />
      </div>
      {children ?? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable box must be reachable with the keyboard.
        <pre tabIndex={0}>{text}</pre>
      )}
    </div>
  );
}
