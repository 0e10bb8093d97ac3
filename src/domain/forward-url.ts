/** The address of a receiver, written the way people write them: `3000`, `localhost:3000/webhooks`. Pure. */
import { classifyHost } from './address.ts';

/** An endpoint by its address and the types of events that it takes. */
export interface ForwardTarget {
  readonly url: string;
  readonly events: readonly string[];
}

/** A port alone, with or without its colon, and perhaps a path. */
const PORT_ALONE = /^:?(?=\d+(?:[/?]|$))/;
/** `localhost:3000` is no scheme and a path: a scheme is followed by `//`. */
const SCHEME = /^[a-z][a-z\d+.-]*:\/\//i;

/**
 * The URL that is meant: `http://localhost:…` for a port, plain HTTP for a host of this machine or network, HTTPS for
 * one that may be public. What has a scheme stays as it is. Null for what is no HTTP URL even then; whether deliveries
 * may go there is another question (decision `webhook.url`).
 */
export function toForwardUrl(written: string): string | null {
  if (SCHEME.test(written)) return /^https?:/i.test(written) && URL.canParse(written) ? written : null;
  const address = written.replace(PORT_ALONE, 'localhost:');
  if (/^[\s/:\\]/.test(address) || !URL.canParse(`http://${address}`)) return null;
  const { href, hostname } = new URL(`http://${address}`);
  return classifyHost(hostname).kind === 'public' ? new URL(`https://${address}`).href : href;
}
