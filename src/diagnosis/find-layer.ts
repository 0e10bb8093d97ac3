/** Finds what responded to a delivery: the first row of the table of layers that applies. */
import { parseUrl } from '../domain/http-url.ts';
import { formatCount } from '../domain/message-parts.ts';
import { quote } from '../signature/refusals.ts';
import { type LayerRow, layerRows } from './layers.ts';
import { type Exchange, type ReadResponse, readResponse } from './read-response.ts';
import { fill, type Judgment, toHint } from './sentences.ts';

/**
 * What responded, and the first message that says more than the status.
 * @param values of `{name}` in the texts of the table, in addition to those of the exchange
 */
export function findLayer(
  exchange: Exchange,
  values: Readonly<Record<string, string>> = {},
): { readonly found: Judgment | null; readonly says: string | null } {
  const response = readResponse(exchange);
  const { messages, says } = response;
  const redirect = readRedirect(exchange);
  for (const row of layerRows) {
    const message = messages.find(({ text }) => row.says?.some((phrase) => phrase.test(text)));
    if (!applies(row, response, message !== undefined, redirect?.changes ?? null)) continue;
    const { kind, by = '', cause = 'not_reached', reason } = row;
    const quoted = quote(message?.received ?? says ?? '');
    const all = { ...values, ...describeExchange(exchange, redirect?.target), by, says: quoted };
    const detail = fill(row.sentence, all);
    const hint = toHint(row, all);
    const found: Judgment = {
      cause,
      certainty: row.isLikely ? 'likely' : 'certain',
      layer: { kind, by },
      detail,
      mistake: reason ? { reason, detail, remedy: hint.text } : null,
      evidence: [describeEvidence(row, response, quoted)],
      hints: [hint],
    };
    return { found, says };
  }
  return { found: null, says };
}

function applies(
  { status, header, says, page, redirect }: LayerRow,
  response: ReadResponse,
  hasMessage: boolean,
  changes: string | null,
): boolean {
  return (
    (status === undefined ? response.status >= 300 : status.includes(response.status)) &&
    (header === undefined || header[1].test(response.headers[header[0]] ?? '')) &&
    (says === undefined || hasMessage) &&
    (page === undefined || page.test(response.page)) &&
    (redirect === undefined || (changes !== null && redirect.test(changes)))
  );
}

function describeEvidence(
  { header, says, page, redirect }: LayerRow,
  response: ReadResponse,
  quoted: string,
): string {
  const [, marked] = page?.exec(response.page) ?? [];
  if (marked !== undefined) return `The page contains ${quote(marked)}.`;
  if (says !== undefined || (page !== undefined && response.says !== null))
    return `The response says ${quoted}.`;
  const name = redirect === undefined ? header?.[0] : 'location';
  return name === undefined
    ? `The status is ${response.status}.`
    : `The response has the header ${name}: ${quote(response.headers[name] ?? '')}.`;
}

/** Where a response redirects to, and the first part of the URL that changes; null if it does not redirect. */
export function readRedirect({ request, response }: Omit<Exchange, 'response_status'>) {
  const from = new URL(request.url);
  const location = response?.headers.location;
  const to = location === undefined ? null : parseUrl(location, from);
  if (to === null) return null;
  const [path, target] = [from, to].map(({ pathname }) => pathname.replace(/\/$/, ''));
  if (from.pathname !== to.pathname && path === target) return { target: to.href, changes: 'slash' };
  if (from.protocol !== to.protocol) return { target: to.href, changes: 'https' };
  return { target: to.href, changes: from.host === to.host ? 'path' : 'host' };
}

/** @param location where the response redirects to (default: the URL with a slash at its end) */
function describeExchange(
  { response_status: status, request: { url, headers, body }, response }: Exchange,
  location?: string,
): Record<string, string> {
  const { host, pathname } = new URL(url);
  const type = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type');
  const allow = response?.headers.allow;
  return {
    ...describeUrl(url),
    host,
    status: String(status),
    content_type: type?.[1] ?? 'application/json',
    size: formatCount(new TextEncoder().encode(body).length, 'byte'),
    allow: allow === undefined ? '' : `: it allows ${allow}`,
    location: location ?? Object.assign(new URL(url), { pathname: `${pathname}/` }).href,
  };
}

export function describeUrl(url: string) {
  const [http_url, https_url] = [url.replace(/^https:/, 'http:'), url.replace(/^http:/, 'https:')];
  return { url, hostname: new URL(url).hostname, http_url, https_url };
}
