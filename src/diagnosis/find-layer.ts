/** Finds what responded to a delivery: the first row of the table of layers that applies. */
import { parseUrl } from '../domain/http-url.ts';
import { formatCount } from '../domain/message-parts.ts';
import type { Attempt } from '../resources/attempt.ts';
import type { Delivery } from '../resources/delivery.ts';
import { quote } from '../signature/refusals.ts';
import { layerRows, type Row } from './layers.ts';
import { readResponse } from './read-response.ts';
import { fill, type Judgment, toHint, type Values } from './sentences.ts';

/**
 * What responded, and the first message that says more than the status.
 * @param values of `{name}` in the texts of the table: those of {@link describeAttempt}, and others
 */
export function findLayer(
  attempt: Attempt,
  values: Values,
): { readonly found: Judgment | null; readonly says: string | null } {
  const { status, headers, messages, page, says } = readResponse(attempt);
  const change = readRedirect(attempt)?.change;
  for (const row of layerRows) {
    const message = messages.find(({ text }) => row.says?.some((phrase) => phrase.test(text)));
    // A row of a redirect has no header of its own: its evidence is where to.
    const [name = 'location', value] = row.header ?? [];
    const applies =
      (row.status?.includes(status) ?? status >= 300) &&
      (value?.test(headers[name] ?? '') ?? true) &&
      (row.says === undefined || message !== undefined) &&
      (row.redirect === undefined || row.redirect === change) &&
      (row.url?.test(attempt.request.url) ?? true) &&
      (!row.isEmpty || attempt.response?.body === '');
    // A page is large, so it is searched last.
    const part = applies ? row.page?.exec(page) : null;
    if (part === null) continue;
    const { kind, by = '', cause = 'not_reached', reason } = row;
    const all = { ...values, by, says: quote(message?.received ?? says ?? '') };
    const detail = fill(row.sentence, all);
    const hint = toHint(row, all);
    const hasHeader = value !== undefined || row.redirect !== undefined;
    const header = `The response has the header ${name}: ${quote(headers[name] ?? '')}.`;
    const other = hasHeader ? header : `The status is ${status}.`;
    const said = message === undefined ? other : `The response says ${all.says}.`;
    const found: Judgment = {
      cause,
      certainty: row.isLikely ? 'likely' : 'certain',
      layer: { kind, by },
      detail,
      mistake: reason ? { reason, detail, remedy: hint.text } : null,
      evidence: [part?.[1] === undefined ? said : `The page contains ${quote(part[1])}.`],
      hints: [hint],
    };
    return { found, says };
  }
  return { found: null, says };
}

/** Where a response redirects to, and what of the URL changes; null if it does not redirect. */
function readRedirect({ request, response }: Attempt): { target: string; change: Row['redirect'] } | null {
  const from = new URL(request.url);
  const location = response?.headers.location;
  const to = location === undefined ? null : parseUrl(location, from);
  if (to === null) return null;
  const [path, target] = [from, to].map(({ pathname }) => pathname.replace(/\/$/, ''));
  if (path !== target) return { target: to.href, change: 'path' };
  const isUpgrade = from.protocol === 'http:' && to.protocol === 'https:';
  if (from.host !== to.host || isUpgrade) return { target: to.href, change: 'origin' };
  if (from.pathname === to.pathname) return { target: to.href, change: undefined };
  // A framework behind a proxy that ends TLS writes http://.
  to.protocol = from.protocol;
  return { target: to.href, change: 'slash' };
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
