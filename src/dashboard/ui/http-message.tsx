/** Headers and bodies of HTTP messages as text. Nothing in them becomes markup. */
import './http-message.css';
import type { ComponentChildren } from 'preact';
import { indentJson, isJson } from '../../domain/json.ts';
import { CodeView } from './code-view.tsx';
import { CopyButton } from './copy-button.tsx';

export function HttpHeaders({ headers }: { readonly headers: Readonly<Record<string, string>> }) {
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

interface BodyProps {
  readonly body: string;
  readonly encoding: 'utf8' | 'base64';
}

/** A JSON object or array formatted and raw (once if that is the same), another text only raw, and other bytes as base64. */
export function HttpBody({ body, encoding }: BodyProps) {
  if (body === '') return <p class="muted">The body is empty.</p>;
  if (encoding === 'base64') {
    const title = <h4>Binary body ({atob(body).length} bytes, base64)</h4>;
    return <TextPanel title={title} what="base64 body" text={body} />;
  }
  const pretty = indentJson(body);
  const size = new TextEncoder().encode(body).length;
  const rawTitle = <h4>Raw ({size} bytes)</h4>;
  const raw = <TextPanel title={rawTitle} what="raw body" text={body} />;
  if (!isJson(body) || !pretty.includes('\n')) return raw;
  const view = <CodeView label="Formatted body" text={pretty} />;
  if (pretty === body) {
    return (
      <TextPanel title={rawTitle} what="raw body" text={body}>
        {view}
      </TextPanel>
    );
  }
  return (
    <div class="http-bodies">
      <TextPanel title={<h4>Formatted</h4>} what="formatted body" text={pretty}>
        {view}
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
    <div class="text-panel">
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
