/** Headers and bodies of HTTP messages as text. Nothing in them becomes markup. */
import { useState } from 'preact/hooks';
import { indentJson } from '../../domain/json-text.ts';
import { CodeView } from './code-view.tsx';
import { Properties } from './properties.tsx';

/** The headers of a message, which a click shows. */
export function HttpHeaders({ headers }: { readonly headers: Readonly<Record<string, string>> }) {
  return (
    <details>
      <summary>Headers ({Object.keys(headers).length})</summary>
      <Properties
        items={Object.fromEntries(
          Object.entries(headers).map(([name, value]) => [name, <code key={name}>{value}</code>]),
        )}
      />
    </details>
  );
}

interface BodyProps {
  /** What the body belongs to, as in "Response body". */
  readonly title: string;
  readonly body: string;
  readonly encoding: 'utf8' | 'base64';
}

/** The body as text: JSON is indented, and bytes that are not text are shown as base64. */
export function HttpBody({ title, body, encoding }: BodyProps) {
  const [isRaw, setRaw] = useState(false);
  if (body === '') return <h4 class="muted">Empty {title.toLowerCase()}</h4>;
  if (encoding === 'base64') {
    const binaryTitle = `Binary body (${atob(body).length} bytes, base64)`;
    return <CodeView title={<h4>{binaryTitle}</h4>} label={binaryTitle} what="base64 body" text={body} />;
  }
  const indented = indentJson(body);
  const shown = isRaw ? body : indented;
  return (
    <CodeView
      title={
        <h4>
          {title} <span class="muted">{new TextEncoder().encode(body).length} bytes</span>
        </h4>
      }
      label={title}
      what={isRaw ? 'raw body' : 'body'}
      text={shown}
    >
      {indented !== body && (
        <button type="button" data-variant="quiet" aria-pressed={isRaw} onClick={() => setRaw(!isRaw)}>
          Raw
        </button>
      )}
    </CodeView>
  );
}
