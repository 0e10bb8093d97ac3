/** Reads and checks the URLs of receivers (§2, §6 of the service description, gap `webhook.url`). */

import { isIP } from 'node:net';
import { SvcError } from './errors.ts';
import { parseUrl, stripBrackets } from './http-url.ts';
import { type AddressClass, classifyHost } from './network-address.ts';

/** `local`: HTTPS, and HTTP only to loopback and private addresses. `public`: HTTPS to public addresses. Blocked addresses: never. */
export type WebhookUrlRule = 'local' | 'public';

export const WEBHOOK_URL_MAX_LENGTH = 2048;

const ACCEPT_LOCAL_URLS =
  'Start the emulator with "overrides": {"webhook.url": "local"} in svc.config.json or in the options of createEmulator().';

// Whitespace, control and format characters, and unpaired surrogates: a URL parser drops or replaces them silently.
const INVISIBLE = /[\s\p{Cc}\p{Cf}\p{Cs}]/u;

/**
 * Why no endpoint can be registered with this URL, as a clause that starts with "must"; null if one can, with the URL unchanged.
 * Host names are not resolved: `assertLocalHost` does that, and the addresses are checked again when a connection is opened.
 */
export function findWebhookUrlProblem(text: string, rule: WebhookUrlRule): string | null {
  if (text.length > WEBHOOK_URL_MAX_LENGTH)
    return `must be at most ${WEBHOOK_URL_MAX_LENGTH} characters long`;
  if (INVISIBLE.test(text)) return 'must not contain whitespace or control characters';
  // Parsers disagree on whether `https:host` and `https:\\host` have a host or a path.
  const url = /^https?:\/\/[^/\\]/i.test(text) ? parseUrl(text) : null;
  if (url === null) {
    return `must be an absolute ${rule === 'public' ? 'https://' : 'https:// or http://'} URL`;
  }
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or a password';
  if (text.includes('#')) return 'must not contain a fragment (#)';
  if (url.port === '0') return 'must not have port 0';
  return findHostProblem(rule, url);
}

/**
 * The error of a URL that an endpoint cannot have; null if it can. If only the rule `public` rejects it, the hint names the setting.
 * @param subject how the message calls the URL
 */
export function findWebhookUrlError(subject: string, url: string, rule: WebhookUrlRule): SvcError | null {
  const problem = findWebhookUrlProblem(url, rule);
  if (problem === null) return null;
  const parsed = parseUrl(url);
  const isLocal =
    findWebhookUrlProblem(url, 'local') === null && parsed !== null && !needsLookup('local', parsed);
  const hint = isLocal ? ACCEPT_LOCAL_URLS : null;
  return new SvcError('validation_failed', `${subject} ${problem}.`, { hint });
}

/**
 * Why nothing can be sent over `protocol` to the address or host, as a clause that starts with "must"; null if it can.
 * Registration checks the host, and the sender checks each resolved address.
 */
export function findTargetProblem(
  rule: WebhookUrlRule,
  protocol: string,
  target: AddressClass,
): string | null {
  if (target.kind === 'blocked') return 'must not be a blocked address';
  if (rule === 'public') {
    const allowed = protocol === 'https:' && target.kind === 'public';
    return allowed ? null : 'must be publicly reachable over HTTPS';
  }
  if (protocol === 'http:' && target.kind === 'public') {
    return 'must use HTTPS, because plain HTTP is only for loopback and private addresses';
  }
  return null;
}

/** As {@link findTargetProblem}, for the host of a URL, with the reason. A name that {@link needsLookup} has no problem yet. */
export function findHostProblem(rule: WebhookUrlRule, url: URL): string | null {
  const host = classifyHost(url.hostname);
  const problem = needsLookup(rule, url) ? null : findTargetProblem(rule, url.protocol, host);
  return problem === null ? null : `${problem} (${url.hostname} is ${host.description})`;
}

/** Whether the addresses of the host decide whether deliveries can be sent over plain HTTP: `lvh.me` can be this machine. */
export function needsLookup(rule: WebhookUrlRule, { protocol, hostname }: URL): boolean {
  const isName = isIP(stripBrackets(hostname)) === 0;
  return rule === 'local' && protocol === 'http:' && isName && classifyHost(hostname).kind === 'public';
}

/** Whether deliveries to a URL stay on this machine or in its network: over plain HTTP they always do. */
export function isLocalUrl(text: string): boolean {
  const url = parseUrl(text);
  return url !== null && (url.protocol === 'http:' || classifyHost(url.hostname).kind !== 'public');
}

/**
 * Whether requests to both URLs reach the same receiver, for example with and without the slash after the host. `localhost` is also
 * 127.0.0.1: `svc listen 3000` and an endpoint that names the address would send each event twice.
 */
export function isSameUrl(one: string, other: string): boolean {
  return toComparable(one) === toComparable(other);
}

function toComparable(text: string): string {
  const url = parseUrl(text);
  if (url?.hostname === '127.0.0.1') url.hostname = 'localhost';
  return url?.href ?? text;
}

/** An endpoint to register: its URL and the event types that it subscribes to. */
export interface ForwardTarget {
  readonly url: string;
  readonly events: readonly string[];
}

/** A port without a host, with or without a colon and a path. */
const PORT_WITHOUT_HOST = /^:?(?=\d+(?:[/?]|$))/;
/** An address whose host has a dot between words or a port, is `localhost` or in brackets. A single word is more likely a mistake. */
const ADDRESS = /^(?:localhost(?![\w-])|\[|[^/?#]*:\d|[^./?#]+(?:\.[^./?#]+)+\.?(?:[/?#]|$))/i;
/** `localhost:3000` has no scheme: a scheme is followed by `//`. */
const SCHEME = /^[a-z][a-z\d+.-]*:\/\//i;

/**
 * Completes a URL: `http://localhost:…` for a port, plain HTTP for a loopback or private host, HTTPS for a public host.
 * Text with a scheme is returned unchanged. Null when the result is not an HTTP URL, and for a single word. Does not check
 * whether deliveries can be sent there (gap `webhook.url`).
 */
export function toForwardUrl(text: string): string | null {
  if (SCHEME.test(text)) return /^https?:/i.test(text) && parseUrl(text) !== null ? text : null;
  const address = text.replace(PORT_WITHOUT_HOST, 'localhost:');
  // The URL parser would skip slashes, tabs and line breaks at the start of a host.
  const url = /^[\s/:\\]/.test(address) || !ADDRESS.test(address) ? null : parseUrl(`http://${address}`);
  if (url === null) return null;
  return classifyHost(url.hostname).kind === 'public' ? new URL(`https://${address}`).href : url.href;
}
