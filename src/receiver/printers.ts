/** The ways in which JSON libraries print a value that was parsed: what a receiver sees that verifies such a text. */

export type Printer = (value: unknown) => string;

export const printers = {
  'JSON.stringify of JavaScript': (value) => JSON.stringify(value),
  'json.dumps of Python': (value) => escapeBeyondAscii(spaceOut(value)),
  'json_encode of PHP': (value) => escapeBeyondAscii(JSON.stringify(value)).replaceAll('/', '\\/'),
} as const satisfies Record<string, Printer>;

/** The value with the members of each object in alphabetical order: printing them sorted changes nothing then. */
export function sortMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortMembers);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sortMembers(member)]));
}

/** A space after each comma and colon. Line breaks stand between tokens alone: inside a string they are escaped. */
function spaceOut(value: unknown): string {
  return JSON.stringify(value, null, 1)
    .replace(/([{[])\n */g, '$1')
    .replace(/\n *([}\]])/g, '$1')
    .replace(/\n */g, ' ');
}

function escapeBeyondAscii(text: string): string {
  return text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
