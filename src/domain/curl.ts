import { quoteForShell } from './shell.ts';

export interface CurlRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** As curl takes it: the body, or `@file`, whose bytes it sends as they are. */
  readonly data: string;
}

/** A command for a POSIX shell that POSTs the very same bytes. */
export function toCurl({ url, headers, data }: CurlRequest): string {
  const parts = [
    ...Object.entries(headers).map(([name, value]) => `-H ${quoteForShell(toArgument(name, value))}`),
    `--data-binary ${quoteForShell(data)}`,
  ];
  // Braces and brackets of an address would otherwise stand for several addresses.
  const command = /[[\]{}]/.test(url) ? 'curl --globoff' : 'curl';
  return [`${command} ${quoteForShell(url)}`, ...parts].join(' \\\n  ');
}

/** `Name:` would take the header away; `Name;` sends it empty. */
function toArgument(name: string, value: string): string {
  return value === '' ? `${name};` : `${name}: ${value}`;
}
