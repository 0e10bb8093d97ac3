/** Finds what responded to a delivery: the first row of the table of layers that applies. */
import { formatCount } from '../domain/message-parts.ts';
import { quote } from '../domain/signature/refusals.ts';
import { type LayerKind, layers, type Row } from './layers.ts';
import { type Exchange, type ReadResponse, readResponse } from './read-response.ts';
import { fill } from './sentences.ts';

export interface FoundLayer {
  readonly kind: LayerKind;
  /** Who responded, such as `The CSRF protection of Laravel`. */
  readonly by: string;
  readonly sentence: string;
  readonly fix: string;
  /** What the row was recognized by, as a sentence. */
  readonly evidence: string;
  readonly isLikely: boolean;
  readonly location: string | null;
}

interface ReadExchange {
  readonly layer: FoundLayer | null;
  /** The first message that says more than the status; null without one. */
  readonly says: string | null;
  /** The URL to which the response redirects; null without one. */
  readonly location: string | null;
}

/** Whether the layer is the code that verifies. */
export function isVerification(kind: LayerKind): boolean {
  return layers[kind].reason !== undefined;
}

/**
 * What responded, and what it says.
 * @param values of `{name}` in the texts of the table, in addition to those of the exchange
 */
export function findLayer(exchange: Exchange, values: Readonly<Record<string, string>> = {}): ReadExchange {
  const response = readResponse(exchange);
  const target = toUrl(response.headers.location, exchange.request.url);
  const location = target?.href ?? null;
  const redirect = target && describeRedirect(new URL(exchange.request.url), target);
  for (const [kind, { sentence, fix, rows }] of Object.entries(layers)) {
    for (const row of rows) {
      const message = response.messages.find(({ text }) => row.says?.test(text));
      if (!applies(row, response, message !== undefined, redirect)) continue;
      const says = quote(message?.received ?? '');
      const to = location ?? 'the path with a slash at its end';
      const all = { ...describeExchange(exchange, response), ...values, location: to, by: row.by, says };
      const layer = {
        ...{ kind: kind as LayerKind, by: row.by, isLikely: row.isLikely === true },
        sentence: fill(sentence, all),
        fix: fill(row.fix ?? fix, all),
        evidence: describeEvidence(row, response, says),
        location,
      };
      return { layer, says: response.says, location };
    }
  }
  return { layer: null, says: response.says, location };
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

function describeEvidence({ header, says, redirect }: Row, response: ReadResponse, quoted: string): string {
  if (says !== undefined) return `The response says ${quoted}.`;
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

function describeExchange({ request }: Exchange, { status, headers }: ReadResponse): Record<string, string> {
  const { host, hostname } = new URL(request.url);
  const type = Object.entries(request.headers).find(([name]) => name.toLowerCase() === 'content-type');
  return {
    ...{ host, hostname, status: String(status), content_type: type?.[1] ?? 'application/json' },
    size: formatCount(new TextEncoder().encode(request.body).length, 'byte'),
    allow: headers.allow === undefined ? '' : `: it allows ${headers.allow}`,
  };
}
