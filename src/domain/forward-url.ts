/** Reads the URL of a receiver in its short forms: `3000`, `localhost:3000/webhooks`. */

import { classifyHost } from './address.ts';
import { parseUrl } from './http-url.ts';

/** An endpoint to register: its URL and the event types that it subscribes to. */
export interface ForwardTarget {
  readonly url: string;
  readonly events: readonly string[];
}

/** A port without a host, with or without a colon and a path. */
const PORT_WITHOUT_HOST = /^:?(?=\d+(?:[/?]|$))/;
/** `localhost:3000` has no scheme: a scheme is followed by `//`. */
const SCHEME = /^[a-z][a-z\d+.-]*:\/\//i;

/**
 * Completes a URL: `http://localhost:…` for a port, plain HTTP for a loopback or private host, HTTPS for a public host.
 * Text with a scheme is returned unchanged. Null when the result is not an HTTP URL. Does not check whether deliveries
 * can be sent there (gap `webhook.url`).
 */
export function toForwardUrl(text: string): string | null {
  if (SCHEME.test(text)) return /^https?:/i.test(text) && parseUrl(text) !== null ? text : null;
  const address = text.replace(PORT_WITHOUT_HOST, 'localhost:');
  const url = /^[\s/:\\]/.test(address) ? null : parseUrl(`http://${address}`);
  if (url === null) return null;
  return classifyHost(url.hostname).kind === 'public' ? new URL(`https://${address}`).href : url.href;
}
