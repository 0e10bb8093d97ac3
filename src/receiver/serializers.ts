/** The ways in which JSON libraries print a value that was parsed: what a receiver sees that verifies such a text. */
import { addJsonSpaces, escapeNonAscii } from '../domain/json.ts';

export type Serializer = (value: unknown) => string;

export const serializers = {
  'JSON.stringify of JavaScript': (value) => JSON.stringify(value),
  'json.dumps of Python': (value) => escapeNonAscii(addJsonSpaces(JSON.stringify(value))),
  'json_encode of PHP': (value) => escapeNonAscii(JSON.stringify(value)).replaceAll('/', '\\/'),
} as const satisfies Record<string, Serializer>;

/** The value with the members of each object in alphabetical order: printing them sorted changes nothing then. */
export function sortFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortFields);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sortFields(member)]));
}
