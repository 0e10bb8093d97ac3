/** The ways in which JSON libraries print a value that was parsed: what a receiver sees that verifies such a text. */
import { escapeNonAscii, toSpaced } from '../domain/json-printing.ts';

export type Printer = (value: unknown) => string;

export const printers = {
  'JSON.stringify of JavaScript': (value) => JSON.stringify(value),
  'json.dumps of Python': (value) => escapeNonAscii(toSpaced(JSON.stringify(value))),
  'json_encode of PHP': (value) => escapeNonAscii(JSON.stringify(value)).replaceAll('/', '\\/'),
} as const satisfies Record<string, Printer>;

/** The value with the members of each object in alphabetical order: printing them sorted changes nothing then. */
export function sortMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortMembers);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sortMembers(member)]));
}
