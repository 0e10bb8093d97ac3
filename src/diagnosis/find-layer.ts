/** Finds what responded to a delivery: the first row of the table of layers that applies. */
import { parseUrl } from '../domain/http-url.ts';
import { formatCount } from '../domain/message-parts.ts';
import type { Attempt } from '../resources/attempt.ts';
import type { Delivery } from '../resources/delivery.ts';
import { quote } from '../signature/refusals.ts';
import { type LayerRow, layerRows } from './layers.ts';
import { type ReadResponse, readResponse } from './read-response.ts';
import { fill, type Judgment, toHint, type Values } from './sentences.ts';

/**
 * What responded, and the first message that says more than the status.
 * @param values of `{name}` in the texts of the table: those of {@link describeAttempt}, and others
 */
export function findLayer(
  attempt: Attempt,
  values: Values,
): { readonly found: Judgment | null; readonly says: string | null } {
  const response = readResponse(attempt);
  const { messages, says } = response;
  const changes = readRedirect(attempt)?.changes ?? '';
  for (const row of layerRows) {
    const message = messages.find(({ text }) => row.says?.some((phrase) => phrase.test(text)));
    if (!applies(row, response, message !== undefined, changes)) continue;
    const { kind, by = '', cause = 'not_reached', reason } = row;
    const quoted = quote(message?.received ?? says ?? '');
    const all = { ...values, by, says: quoted };
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
  changes: string,
): boolean {
  return (
    (status?.includes(response.status) ?? response.status >= 300) &&
    (header?.[1].test(response.headers[header[0]] ?? '') ?? true) &&
    (says === undefined || hasMessage) &&
    (page?.test(response.page) ?? true) &&
    (redirect?.test(changes) ?? true)
  );
}

function describeEvidence(
  { header, says, page, redirect }: LayerRow,
  response: ReadResponse,
  quoted: string,
): string {
  const [, marked] = page?.exec(response.page) ?? [];
  if (marked !== undefined) return `The page contains ${quote(marked)}.`;
  if (says !== undefined) return `The response says ${quoted}.`;
  const name = redirect === undefined ? header?.[0] : 'location';
  return name === undefined
    ? `The status is ${response.status}.`
    : `The response has the header ${name}: ${quote(response.headers[name] ?? '')}.`;
}

/** Where a response redirects to, and the first part of the URL that changes; null if it does not redirect. */
function readRedirect({ request, response }: Attempt) {
  const from = new URL(request.url);
  const location = response?.headers.location;
  const to = location === undefined ? null : parseUrl(location, from);
  if (to === null) return null;
  const [path, target] = [from, to].map(({ pathname }) => pathname.replace(/\/$/, ''));
  if (from.pathname !== to.pathname && path === target) return { target: to.href, changes: 'slash' };
  if (from.protocol !== to.protocol) return { target: to.href, changes: 'https' };
  return { target: to.href, changes: from.host === to.host ? 'path' : 'host' };
}

/** The values of an attempt in texts. Header names of a response are in lower case. */
export function describeAttempt(delivery: Pick<Delivery, 'id' | 'webhook_id'>, attempt: Attempt) {
  const { response_status: status, request, response, fault } = attempt;
  const { host, pathname } = new URL(request.url);
  const allow = response?.headers.allow;
  // A framework can refuse to redirect to the path with a slash at its end.
  const withSlash = Object.assign(new URL(request.url), { pathname: `${pathname}/` }).href;
  const isRefused = status !== null && status >= 400;
  return {
    ...describeEndpoint(delivery.webhook_id, request.url),
    delivery: delivery.id,
    host,
    status: String(status),
    fault: fault?.id ?? '',
    kind: fault?.kind ?? '',
    content_type: new Headers(request.headers).get('content-type') ?? '',
    size: formatCount(new TextEncoder().encode(request.body).length, 'byte'),
    allow: allow === undefined ? '' : `: it allows ${allow}`,
    location: readRedirect(attempt)?.target ?? (isRefused ? withSlash : 'URL'),
  };
}

/** The values of an endpoint in texts. */
export function describeEndpoint(webhook: string, url: string) {
  const [http_url, https_url] = [url.replace(/^https:/, 'http:'), url.replace(/^http:/, 'https:')];
  return { webhook, url, hostname: new URL(url).hostname, http_url, https_url };
}
