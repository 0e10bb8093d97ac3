/** Commands for a POSIX shell. */

/** Quotes text as one word of a POSIX shell. */
export function quoteForShell(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

interface CurlRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Text, or a file that contains the bytes. */
  readonly body: string | { readonly file: string };
}

/** A command for a POSIX shell that sends the same bytes with POST. */
export function toCurl({ url, headers, body }: CurlRequest): string {
  const lines = [
    ...Object.entries(headers).map(([name, value]) => `-H ${quoteForShell(toArgument(name, value))}`),
    // --data-binary reads a file when its value starts with @; --data-raw never does.
    typeof body === 'string'
      ? `--data-raw ${quoteForShell(body)}`
      : `--data-binary ${quoteForShell(`@${body.file}`)}`,
  ];
  // Without --globoff, curl expands braces and brackets to several URLs.
  const command = /[[\]{}]/.test(url) ? 'curl --globoff' : 'curl';
  return [`${command} ${quoteForShell(url)}`, ...lines].join(' \\\n  ');
}

/** In curl, `Name:` removes a header and `Name;` sends it empty. */
function toArgument(name: string, value: string): string {
  return value === '' ? `${name};` : `${name}: ${value}`;
}
