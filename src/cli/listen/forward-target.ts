/** Parses the values of `svc listen --forward-to`. */
import { InvalidArgumentError } from 'commander';
import { isEventType, WILDCARD_SUBSCRIPTION } from '../../domain/event.ts';
import { toForwardUrl } from '../../domain/forward-url.ts';

export interface ForwardTarget {
  readonly url: string;
  /** Null for the types of `--events`. */
  readonly types: readonly string[] | null;
}

/** Event types before a `=`. A URL has a `=` only in its query, after a colon or a slash. */
const TYPES_AND_ADDRESS = /^(?<types>[^=:/?]+)=(?<address>.*)$/;

/** Parses `3000`, `localhost:3000/hooks` or `order.shipped,invoice.paid=3000/orders`, and collects repeated options. */
export function parseForwardTargets(text: string, previous: readonly ForwardTarget[] = []): ForwardTarget[] {
  const { types, address = text } = TYPES_AND_ADDRESS.exec(text)?.groups ?? {};
  const url = toForwardUrl(address);
  if (url === null) {
    throw new InvalidArgumentError('Pass a port or a URL: 3000, localhost:3000/hooks, or TYPE=3000/hooks.');
  }
  // Normalized, so that the same address is recognized later.
  return [
    ...previous,
    { url: new URL(url).href, types: types === undefined ? null : parseEventTypes(types) },
  ];
}

function parseEventTypes(text: string): string[] {
  const types = text.split(',').map((type) => type.trim());
  const invalid = types.find((type) => type !== WILDCARD_SUBSCRIPTION && !isEventType(type));
  if (invalid === undefined) return types;
  throw new InvalidArgumentError(
    `Pass an event type before the =, not ${JSON.stringify(invalid)}: order.shipped=3000/hooks.`,
  );
}
