const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d[\d.eE+-]*|true|false|null)/g;

/** JSON with syntax highlighting. The text never becomes markup. */
export function JsonHighlight({ text }: { readonly text: string }) {
  return <pre class="json">{highlight(text)}</pre>;
}

function highlight(text: string) {
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [token, string, colon, literal] = match;
    parts.push(text.slice(end, match.index));
    if (string !== undefined && colon !== undefined) {
      parts.push(<span class="name">{string}</span>, colon);
    } else {
      parts.push(<span class={literal === undefined ? 'string' : 'literal'}>{token}</span>);
    }
    end = match.index + token.length;
  }
  parts.push(text.slice(end));
  return parts;
}
