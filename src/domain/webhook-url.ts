/** Which addresses an endpoint may have (§2, §6 of the service description, decision `webhook.url`). Pure. */
import { type AddressClass, classifyHost } from './address.ts';

/** `local`: HTTPS anywhere, HTTP only to loopback and private addresses. `public`: HTTPS to public addresses only. */
export type WebhookUrlRule = 'local' | 'public';

export type WebhookUrlCheck =
  | { readonly ok: true }
  /** `problem` says what the address must be, to follow the name of the field: "must be …". */
  | { readonly ok: false; readonly problem: string };

export const WEBHOOK_URL_MAX_LENGTH = 2048;

// Whitespace, control and format characters, and halves of surrogate pairs: a parser drops or replaces them silently.
const INVISIBLE = /[\s\p{Cc}\p{Cf}\p{Cs}]/u;

/**
 * Whether an endpoint may be registered with this URL, which is then kept as it was given. Host names are judged by
 * their form and not resolved; the dialer judges what they resolve to.
 */
export function checkWebhookUrl(text: string, rule: WebhookUrlRule): WebhookUrlCheck {
  const problem = findProblem(text, rule);
  return problem === null ? { ok: true } : { ok: false, problem };
}

/**
 * Why nothing may be sent over `protocol` to what the address or host is, as what it must be instead; null when it
 * may. The registration of an endpoint asks this about the host, the dialer about each resolved address.
 */
export function findTargetProblem(
  rule: WebhookUrlRule,
  protocol: string,
  target: AddressClass,
): string | null {
  if (target.kind === 'blocked') return 'must be one that deliveries may go to';
  if (rule === 'public') {
    const allowed = protocol === 'https:' && target.kind === 'public';
    return allowed ? null : 'must be publicly reachable over HTTPS';
  }
  if (protocol === 'http:' && target.kind === 'public') {
    return 'must use HTTPS: plain HTTP is for loopback and private addresses only';
  }
  return null;
}

function findProblem(text: string, rule: WebhookUrlRule): string | null {
  if (text.length > WEBHOOK_URL_MAX_LENGTH)
    return `must be at most ${WEBHOOK_URL_MAX_LENGTH} characters long`;
  if (INVISIBLE.test(text)) return 'must not contain whitespace or control characters';
  // `https:host` and `https:\\host` mean a host to some readers and a path to others: only the clear form is taken.
  if (!/^https?:\/\/[^/\\]/i.test(text) || !URL.canParse(text)) {
    return `must be an absolute ${rule === 'public' ? 'https://' : 'https:// or http://'} URL`;
  }
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or a password';
  if (text.includes('#')) return 'must not contain a fragment (#)';
  const host = classifyHost(url.hostname);
  const objection = findTargetProblem(rule, url.protocol, host);
  return objection === null ? null : `${objection} (${url.hostname} is ${host.description})`;
}
