/** Commands for a POSIX shell. */

/** Quotes text as one word of a POSIX shell. */
export function quoteForShell(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

interface CurlRequest {
  readonly url: string;
  /** Default: POST. */
  readonly method?: string;
  /** Name of the variable of the shell that contains the API key. */
  readonly apiKeyVariable?: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Text, or a file that contains the bytes; null for none. */
  readonly body: string | { readonly file: string } | null;
}

/** A command for a POSIX shell that sends the same bytes. */
export function toCurl({ url, method = 'POST', apiKeyVariable, headers, body }: CurlRequest): string {
  // The method that curl uses without -X.
  const defaultMethod = body === null ? 'GET' : 'POST';
  const lines = [
    ...(method === defaultMethod ? [] : [`-X ${quoteForShell(method)}`]),
    ...(apiKeyVariable === undefined ? [] : [`-H "Authorization: Bearer $${apiKeyVariable}"`]),
    ...Object.entries(headers).map(([name, value]) => `-H ${quoteForShell(toArgument(name, value))}`),
    ...toDataOption(body),
  ];
  // Without --globoff, curl expands braces and brackets to several URLs.
  const command = /[[\]{}]/.test(url) ? 'curl --globoff' : 'curl';
  return [`${command} ${quoteForShell(url)}`, ...lines].join(' \\\n  ');
}

/** --data-binary reads a file when its value starts with @; --data-raw never does. */
function toDataOption(body: CurlRequest['body']): string[] {
  if (body === null) return [];
  return typeof body === 'string'
    ? [`--data-raw ${quoteForShell(body)}`]
    : [`--data-binary ${quoteForShell(`@${body.file}`)}`];
}

/** In curl, `Name:` removes a header and `Name;` sends it empty. */
function toArgument(name: string, value: string): string {
  return value === '' ? `${name};` : `${name}: ${value}`;
}
