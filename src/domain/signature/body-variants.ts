/** Finds the body that was signed when the received body differs from it. */
import { addJsonSpaces, compactJson, escapeJsonForHtml, escapeNonAscii } from '../json.ts';
import { type JsonTree, parseJsonTree, serializeJsonTree } from '../json-tree.ts';

/** At least eight characters, so that a short word is not decoded. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4}){2,}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

export interface BodyVariant {
  /** The end of the sentence "the body was changed after signing: …". */
  readonly change: string;
  readonly body: string | Uint8Array;
}

/** Lists bodies that software between sender and receiver may have changed to `payload`, the most likely first. */
export function* listBodyVariants(payload: string | Uint8Array): Generator<BodyVariant> {
  const bytes = Buffer.from(payload);
  const text = bytes.toString();
  for (const [change, undo] of reversibleChanges) {
    for (const body of undo(text, bytes)) if (body !== text) yield { change, body };
  }
}

/** Bytes that are shown from the first difference on. */
const SHOWN_BYTES = 16;

/** How a body differs from the one that was sent: the end of the sentence "the body was changed after signing: …". */
export function describeDifference(sent: string | Uint8Array, received: string | Uint8Array): string {
  const [before, after] = [Buffer.from(sent), Buffer.from(received)];
  const index = before.findIndex((byte, i) => byte !== after[i]);
  const start = index === -1 ? before.length : index;
  if (start === after.length) return `it was truncated after byte ${start}`;
  if (start === before.length) return `bytes were added after byte ${start}`;
  const show = (bytes: Buffer) => JSON.stringify(bytes.toString('utf8', start, start + SHOWN_BYTES));
  const cause = isSameJson(before, after) ? 'its JSON was parsed and serialized again: ' : '';
  return `${cause}from byte ${start} on, ${show(before)} became ${show(after)}`;
}

function isSameJson(first: Buffer, second: Buffer): boolean {
  try {
    return JSON.stringify(JSON.parse(first.toString())) === JSON.stringify(JSON.parse(second.toString()));
  } catch {
    return false;
  }
}

/** `undo` returns the bodies that may have become `text`, which is `bytes` read as UTF-8. */
type ReversibleChange = readonly [
  change: string,
  undo: (text: string, bytes: Buffer) => Iterable<string | Uint8Array>,
];

const reversibleChanges: readonly ReversibleChange[] = [
  ['a line ending was added at its end', (text) => [text.replace(/\r?\n$/, '')]],
  ['the line ending at its end was removed', (text) => [`${text}\n`, `${text}\r\n`]],
  // Before `trim`, which also removes the byte order mark.
  ['a byte order mark was added', (text) => [removeByteOrderMark(text)]],
  ['whitespace was added around it', (text) => [text.trim()]],
  ['its JSON was parsed and serialized again', listJsonVariants],
  ['its line endings were changed from CRLF to LF', (text) => [text.replace(/\r?\n/g, '\r\n')]],
  ['its line endings were changed from LF to CRLF', (text) => [text.replace(/\r\n/g, '\n')]],
  ['its byte order mark was removed', (text) => [`\uFEFF${text}`]],
  ['its UTF-8 was read as Latin-1', (text) => [Buffer.from(text, 'latin1').toString()]],
  ['it was encoded in base64', (text) => (BASE64.test(text) ? [Buffer.from(text, 'base64')] : [])],
  ['its Unicode was normalized', (text) => [text.normalize('NFC'), text.normalize('NFD')]],
  ['it was converted from UTF-8 to Latin-1', (_, bytes) => [bytes.toString('latin1')]],
  ['it was converted from UTF-8 to UTF-16', (_, bytes) => [removeByteOrderMark(bytes.toString('utf16le'))]],
];

/** The same JSON as common libraries write it; nothing if the text is not JSON or is nested too deeply. */
export function listJsonVariants(text: string): Iterable<string> {
  try {
    const value: unknown = JSON.parse(text);
    return new Set([
      // JSON that was serialized twice.
      ...(typeof value === 'string' ? [value] : []),
      ...serializeOnOneLine(text, value),
      ...serializeIndented(value),
    ]);
  } catch {
    return [];
  }
}

/** Without line breaks, with and without spaces, with each style of escaping. Keeps the numbers and escapes of `text`. */
function serializeOnOneLine(text: string, value: unknown): string[] {
  return [compactJson(text), JSON.stringify(value), ...reorderFields(text)]
    .flatMap((compact) => [compact, addJsonSpaces(compact)])
    .flatMap((json) => [
      json,
      escapeNonAscii(json),
      escapeNonAscii(json).replaceAll('/', '\\/'),
      escapeJsonForHtml(json),
    ]);
}

/** The JSON with its fields sorted by name, and with the fields in the order of the service. */
function reorderFields(text: string): string[] {
  const tree = parseJsonTree(text);
  return [serializeJsonTree(sortFields(tree)), serializeJsonTree(toServiceOrder(tree))];
}

function sortFields(tree: JsonTree): JsonTree {
  if (Array.isArray(tree)) return tree.map(sortFields);
  if (!(tree instanceof Map)) return tree;
  const names = [...tree.keys()].sort();
  return new Map(names.map((name) => [name, sortFields(tree.get(name) ?? '')]));
}

/** The fields of an envelope, and of its event (gaps `envelope`, `event.record`). */
const ENVELOPE_FIELDS = ['type', 'workspace_id', 'created_at', 'data'];
const EVENT_FIELDS = ['id', 'workspace_id', 'type', 'payload', 'created_at'];

function toServiceOrder(tree: JsonTree): JsonTree {
  const envelope = arrange(tree, ENVELOPE_FIELDS);
  if (!(envelope instanceof Map)) return tree;
  return new Map(
    // Only the event is an object.
    Array.from(envelope, ([name, value]) => [name, arrange(value, EVENT_FIELDS)]),
  );
}

/** The fields in `order` first, then the others in their order. */
function arrange(tree: JsonTree, order: readonly string[]): JsonTree {
  if (!(tree instanceof Map)) return tree;
  // In a Map a repeated name keeps its first place.
  const names = [...order.filter((name) => tree.has(name)), ...tree.keys()];
  return new Map(names.map((name) => [name, tree.get(name) ?? '']));
}

function serializeIndented(value: unknown): string[] {
  return [2, 4, '\t']
    .map((indent) => JSON.stringify(value, null, indent))
    .flatMap((json) => [json, `${json}\n`]);
}

function removeByteOrderMark(text: string): string {
  return text.replace(/^\uFEFF/, '');
}
