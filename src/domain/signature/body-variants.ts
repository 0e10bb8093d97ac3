import {
  addJsonSpaces,
  compactJson,
  escapeHtml,
  escapeNonAscii,
  type JsonTree,
  parseJsonTree,
  printJsonTree,
} from '../json.ts';

const BASE64 = /^(?:[A-Za-z0-9+/]{4}){2,}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

export interface BodyVariant {
  /** The end of the sentence "the body was changed after signing: …". */
  readonly change: string;
  readonly body: string | Uint8Array;
}

/** Possible bodies before software between sender and receiver changed them, the most likely first. */
export function* bodyVariants(payload: string | Uint8Array): Generator<BodyVariant> {
  const text = typeof payload === 'string' ? payload : Buffer.from(payload).toString();
  for (const [change, undo] of changes) {
    for (const body of undo(text)) if (body !== text) yield { change, body };
  }
  if (typeof payload === 'string') return;
  const bytes = Buffer.from(payload);
  yield { change: 'it was converted from UTF-8 to Latin-1', body: bytes.toString('latin1') };
  yield { change: 'it was converted from UTF-8 to UTF-16', body: withoutMark(bytes.toString('utf16le')) };
}

const SHOWN_BYTES = 16;

/** How a body differs from the one that was sent: the end of the sentence "the body was changed after signing: …". */
export function describeDifference(sent: string | Uint8Array, given: string | Uint8Array): string {
  const [before, after] = [Buffer.from(sent), Buffer.from(given)];
  const at = before.findIndex((byte, index) => byte !== after[index]);
  const start = at === -1 ? before.length : at;
  if (start === after.length) return `it was truncated after byte ${start}`;
  if (start === before.length) return `bytes were added after byte ${start}`;
  const show = (bytes: Buffer) => JSON.stringify(bytes.toString('utf8', start, start + SHOWN_BYTES));
  const cause = isSameJson(before, after) ? 'its JSON was parsed and serialized again: ' : '';
  return `${cause}from byte ${start} on, ${show(before)} became ${show(after)}`;
}

function isSameJson(one: Buffer, other: Buffer): boolean {
  try {
    return JSON.stringify(JSON.parse(one.toString())) === JSON.stringify(JSON.parse(other.toString()));
  } catch {
    return false;
  }
}

type Change = readonly [change: string, undo: (text: string) => Iterable<string | Uint8Array>];

const changes: readonly Change[] = [
  ['a line ending was added at its end', (text) => [text.replace(/\r?\n$/, '')]],
  ['the line ending at its end was removed', (text) => [`${text}\n`, `${text}\r\n`]],
  // Before `trim`, which removes the mark, too.
  ['a byte order mark was added', (text) => [withoutMark(text)]],
  ['whitespace was added around it', (text) => [text.trim()]],
  ['its JSON was parsed and serialized again', jsonVariants],
  ['its line endings were changed from CRLF to LF', (text) => [text.replace(/\r?\n/g, '\r\n')]],
  ['its line endings were changed from LF to CRLF', (text) => [text.replace(/\r\n/g, '\n')]],
  ['its byte order mark was removed', (text) => [`\uFEFF${text}`]],
  ['its UTF-8 was read as Latin-1', (text) => [Buffer.from(text, 'latin1').toString()]],
  ['it was encoded in base64', (text) => (BASE64.test(text) ? [Buffer.from(text, 'base64')] : [])],
  ['its Unicode was normalized', (text) => [text.normalize('NFC'), text.normalize('NFD')]],
];

/** The same JSON as common libraries write it; none when it is not JSON or too deeply nested. */
export function jsonVariants(text: string): Iterable<string> {
  try {
    const value: unknown = JSON.parse(text);
    return new Set([
      ...(typeof value === 'string' ? [value] : []),
      ...oneLine(text, value),
      ...indented(value),
    ]);
  } catch {
    return [];
  }
}

/** Without line breaks, with and without spaces, with each style of escaping. Keeps the numbers and escapes of `text`. */
function oneLine(text: string, value: unknown): string[] {
  return [compactJson(text), JSON.stringify(value), ...reordered(text)]
    .flatMap((compact) => [compact, addJsonSpaces(compact)])
    .flatMap((json) => [
      json,
      escapeNonAscii(json),
      escapeNonAscii(json).replaceAll('/', '\\/'),
      escapeHtml(json),
    ]);
}

/** The fields sorted by name, and in the order of the service. */
function reordered(text: string): string[] {
  const tree = parseJsonTree(text);
  return [printJsonTree(sortFields(tree)), printJsonTree(inServiceOrder(tree))];
}

function sortFields(tree: JsonTree): JsonTree {
  if (Array.isArray(tree)) return tree.map(sortFields);
  if (!(tree instanceof Map)) return tree;
  const names = [...tree.keys()].sort();
  return new Map(names.map((name) => [name, sortFields(tree.get(name) ?? '')]));
}

/** The fields of an envelope, and of its event (gaps `envelope`, `event.record`). */
const ENVELOPE = ['type', 'workspace_id', 'created_at', 'data'];
const EVENT = ['id', 'workspace_id', 'type', 'payload', 'created_at'];

function inServiceOrder(tree: JsonTree): JsonTree {
  const envelope = arrange(tree, ENVELOPE);
  if (!(envelope instanceof Map)) return tree;
  return new Map(
    Array.from(envelope, ([name, value]) => [name, name === 'data' ? arrange(value, EVENT) : value]),
  );
}

/** The fields in `order` first, then the others in their order. */
function arrange(tree: JsonTree, order: readonly string[]): JsonTree {
  if (!(tree instanceof Map)) return tree;
  const others = [...tree.keys()].filter((name) => !order.includes(name));
  const names = [...order.filter((name) => tree.has(name)), ...others];
  return new Map(names.map((name) => [name, tree.get(name) ?? '']));
}

function indented(value: unknown): string[] {
  return [2, 4, '\t']
    .map((indent) => JSON.stringify(value, null, indent))
    .flatMap((json) => [json, `${json}\n`]);
}

function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, '');
}
