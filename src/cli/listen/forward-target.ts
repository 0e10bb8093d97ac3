/** What `svc listen` is told to forward, and where. Each parser says what it expects. */
import { InvalidArgumentError } from 'commander';
import { isEventType, WILDCARD_SUBSCRIPTION } from '../../domain/event.ts';
import { toForwardUrl } from '../../domain/forward-url.ts';

export interface ForwardTarget {
  readonly url: string;
  /** Null for those of `--events`. */
  readonly types: readonly string[] | null;
}

/** Types before a `=`. An address has one only in its query, after a `?`, and a colon or a slash before that. */
const TYPES = /^(?<types>[^=:/?]+)=(?<address>.*)$/;

/** `3000`, `localhost:3000/hooks`, or `order.shipped,invoice.paid=3000/orders`; repeated ones into one list. */
export function parseForwardTargets(text: string, before: readonly ForwardTarget[] = []): ForwardTarget[] {
  const { types, address = text } = TYPES.exec(text)?.groups ?? {};
  const url = toForwardUrl(address);
  if (url === null) {
    throw new InvalidArgumentError('Write a port or a URL: 3000, localhost:3000/hooks, or TYPE=3000/hooks.');
  }
  // In one spelling, so that it is known again as the same address.
  return [...before, { url: new URL(url).href, types: types === undefined ? null : parseEventTypes(types) }];
}

function parseEventTypes(text: string): string[] {
  const types = text.split(',').map((type) => type.trim());
  const odd = types.find((type) => type !== WILDCARD_SUBSCRIPTION && !isEventType(type));
  if (odd === undefined) return types;
  throw new InvalidArgumentError(`${JSON.stringify(odd)} is no event type: write order.shipped=3000/hooks.`);
}
