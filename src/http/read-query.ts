import type { H3Event } from 'h3';
import { SvcError } from '../errors.ts';

/**
 * The query of a request as an object without a prototype.
 * @throws SvcError `invalid_request` for a parameter given twice: which one counts would be a guess.
 */
export function readQuery(event: H3Event): Record<string, string> {
  const query: Record<string, string> = Object.create(null);
  for (const [name, value] of event.url.searchParams) {
    if (name in query) throw new SvcError('invalid_request', `The query names ${name} twice.`);
    query[name] = value;
  }
  return query;
}
