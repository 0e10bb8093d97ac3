/** Headers and bodies of HTTP messages as text. Nothing in them becomes markup. */
import './http-message.css';
import { useState } from 'preact/hooks';
import { indentJson } from '../../domain/json.ts';
import { useQuery } from '../use-query.ts';
import { CodeView } from './code-view.tsx';
import { Properties } from './properties.tsx';

type Headers = Readonly<Record<string, string>>;

/** The headers of a message, which a click shows. */
export function HttpHeaders({ headers }: { readonly headers: Headers }) {
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
  readonly headers: Headers;
}

/** The body as text: JSON is indented, compressed bodies are decompressed, and other bytes are shown as base64. */
export function HttpBody({ title, body, encoding, headers }: BodyProps) {
  const decoded = useQuery(() => decompress(body, encoding, headers), [body, encoding]);
  const [isRaw, setRaw] = useState(false);
  if (body === '') return <p class="muted">The body is empty.</p>;
  if (encoding === 'base64' && !decoded.value) {
    const binaryTitle = `Binary body (${atob(body).length} bytes, base64)`;
    return <CodeView title={<h4>{binaryTitle}</h4>} label={binaryTitle} what="base64 body" text={body} />;
  }
  const text = decoded.value ?? body;
  const indented = indentJson(text);
  const shown = isRaw ? text : indented;
  return (
    <CodeView
      title={
        <h4>
          {title}{' '}
          <span class="muted">
            {new TextEncoder().encode(text).length} bytes{decoded.value && ', decompressed'}
          </span>
        </h4>
      }
      label={title}
      what={isRaw ? 'raw body' : 'body'}
      text={shown}
    >
      {indented !== text && (
        <button type="button" class="quiet" aria-pressed={isRaw} onClick={() => setRaw(!isRaw)}>
          Raw
        </button>
      )}
    </CodeView>
  );
}

const compressionFormats = new Map<string, CompressionFormat>([
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
]);

/** The text of a compressed body; null for another body, or if only a part of it is stored. */
async function decompress(
  body: string,
  encoding: BodyProps['encoding'],
  headers: Headers,
): Promise<string | null> {
  const format = compressionFormats.get(headers['content-encoding']?.trim().toLowerCase() ?? '');
  if (encoding === 'utf8' || format === undefined) return null;
  const bytes = Uint8Array.from(atob(body), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream(format));
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await new Response(stream).arrayBuffer());
  } catch {
    return null;
  }
}
