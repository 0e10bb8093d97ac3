/** Finds what responded to a delivery: the first row of the table of layers that applies. */
import { formatCount } from '../domain/message-parts.ts';
import { type MistakeReason, quote } from '../domain/signature/refusals.ts';
import type { Hint } from '../errors.ts';
import type { LayerKind } from './causes.ts';
import { layers, type Row } from './layers.ts';
import { type Exchange, type ReadResponse, readResponse } from './read-response.ts';
import { fill, toHint } from './sentences.ts';

export interface FoundLayer {
  readonly kind: LayerKind;
  /** Who responded, such as `The CSRF protection of Laravel`. */
  readonly by: string;
  readonly sentence: string;
  readonly hint: Hint;
  /** What the row was recognized by, as a sentence. */
  readonly evidence: string;
  readonly isLikely: boolean;
  /** Whether it is the code that verifies. */
  readonly isVerification: boolean;
  /** The mistake that its message reports. */
  readonly reason: MistakeReason | null;
}

/**
 * What responded, and the first message that says more than the status.
 * @param values of `{name}` in the texts of the table, in addition to those of the exchange
 */
export function findLayer(
  exchange: Exchange,
  values: Readonly<Record<string, string>> = {},
): { readonly layer: FoundLayer | null; readonly says: string | null } {
  const response = readResponse(exchange);
  const { messages, says } = response;
  const target = toUrl(response.headers.location, exchange.request.url);
  const redirect = target && describeRedirect(new URL(exchange.request.url), target);
  for (const [kind, { rows, sentence, reason, ...fix }] of Object.entries(layers)) {
    for (const row of rows) {
      const message = messages.find(({ text }) => row.says?.some((phrase) => phrase.test(text)));
      if (!applies(row, response, message !== undefined, redirect)) continue;
      const quoted = quote(message?.received ?? says ?? '');
      const all = { ...values, ...describeExchange(exchange, response, target), by: row.by, says: quoted };
      const layer = {
        ...{ kind: kind as LayerKind, by: row.by, isLikely: row.isLikely === true },
        ...{ isVerification: reason !== undefined, reason: reason ?? null },
        sentence: fill(sentence, all),
        hint: toHint({ ...fix, ...(row.fix && { fix: row.fix }) }, all),
        evidence: describeEvidence(row, response, quoted),
      };
      return { layer, says };
    }
  }
  return { layer: null, says };
}

function applies(
  { status, header, says, page, redirect: isRedirect }: Row,
  response: ReadResponse,
  hasMessage: boolean,
  redirect: string | null,
): boolean {
  return (
    (status === undefined || status.includes(response.status)) &&
    (header === undefined || header[1].test(response.headers[header[0]] ?? '')) &&
    (says === undefined || hasMessage) &&
    (page === undefined || page.test(response.page)) &&
    (isRedirect === undefined || (redirect !== null && isRedirect.test(redirect)))
  );
}

function describeEvidence(
  { header, says, page, redirect }: Row,
  response: ReadResponse,
  quoted: string,
): string {
  if (says !== undefined || (page !== undefined && response.says !== null))
    return `The response says ${quoted}.`;
  const name = redirect === undefined ? header?.[0] : 'location';
  return name === undefined
    ? `The status is ${response.status}.`
    : `The response has the header ${name}: ${quote(response.headers[name] ?? '')}.`;
}

/** What a redirect changes. */
function describeRedirect(from: URL, to: URL): 'slash' | 'https' | 'host' | 'path' {
  const isSlash =
    from.pathname !== to.pathname && from.pathname.replace(/\/$/, '') === to.pathname.replace(/\/$/, '');
  if (isSlash) return 'slash';
  if (from.protocol !== to.protocol) return 'https';
  return from.host === to.host ? 'path' : 'host';
}

function toUrl(location: string | undefined, base: string): URL | null {
  try {
    return location === undefined ? null : new URL(location, base);
  } catch {
    return null;
  }
}

function describeExchange(
  { request: { url, headers: sent, body } }: Exchange,
  { status, headers: { allow } }: ReadResponse,
  target: URL | null,
): Record<string, string> {
  const { host, hostname } = new URL(url);
  const withSlash = Object.assign(new URL(url), { pathname: `${new URL(url).pathname}/` });
  const type = Object.entries(sent).find(([name]) => name.toLowerCase() === 'content-type');
  return {
    ...{ host, hostname, status: String(status), content_type: type?.[1] ?? 'application/json' },
    size: formatCount(new TextEncoder().encode(body).length, 'byte'),
    allow: allow === undefined ? '' : `: it allows ${allow}`,
    location: (target ?? withSlash).href,
    https_url: url.replace(/^http:/, 'https:'),
  };
}
