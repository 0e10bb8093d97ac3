import { quoteForShell } from './shell.ts';

export interface CurlRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Text, or the file whose bytes it is. */
  readonly body: string | { readonly file: string };
}

/** A command for a POSIX shell that POSTs the very same bytes. */
export function toCurl({ url, headers, body }: CurlRequest): string {
  const parts = [
    ...Object.entries(headers).map(([name, value]) => `-H ${quoteForShell(toArgument(name, value))}`),
    // What --data-binary is given may name a file; what --data-raw is given never does.
    typeof body === 'string'
      ? `--data-raw ${quoteForShell(body)}`
      : `--data-binary ${quoteForShell(`@${body.file}`)}`,
  ];
  // Braces and brackets of an address would otherwise stand for several addresses.
  const command = /[[\]{}]/.test(url) ? 'curl --globoff' : 'curl';
  return [`${command} ${quoteForShell(url)}`, ...parts].join(' \\\n  ');
}

/** `Name:` would take the header away; `Name;` sends it empty. */
function toArgument(name: string, value: string): string {
  return value === '' ? `${name};` : `${name}: ${value}`;
}
