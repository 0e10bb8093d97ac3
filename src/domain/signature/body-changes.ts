/** The changes of a body between the sender and the verification: what each makes of a body, and how to undo it. */
import {
  addJsonSpaces,
  compactJson,
  escapeJsonForHtml,
  escapeNonAscii,
  type JsonTree,
  parseJsonTree,
  serializeJsonTree,
} from '../json-text.ts';

/** A function of a body, as text and as bytes. */
type ListBodies = (text: string, bytes: Buffer) => Iterable<string | Uint8Array>;

interface BodyChange {
  /** A clause that says how the body was changed. */
  readonly description: string;
  /** The bodies that the change can make of a body. Missing for a change that a receiver does not make itself. */
  readonly apply?: ListBodies;
  /** The bodies of which the change may have made this one. Missing for a change that loses the original. */
  readonly undo?: ListBodies;
}

export interface ChangedBody {
  readonly description: string;
  readonly body: string | Uint8Array;
}

/** Lists what a receiver may have made of the body that was sent. */
export function listChangedBodies(sent: string | Uint8Array): ChangedBody[] {
  return bodyChanges.flatMap(({ description, apply }) => listBodies(description, sent, apply));
}

/** Lists the bodies that may have been sent, the most likely first. */
export function* listOriginalBodies(received: string | Uint8Array): Generator<ChangedBody> {
  for (const { description, undo } of bodyChanges) yield* listBodies(description, received, undo);
}

function listBodies(description: string, from: string | Uint8Array, list?: ListBodies): ChangedBody[] {
  const bytes = Buffer.from(from);
  return Array.from(list?.(bytes.toString(), bytes) ?? [])
    .filter((body) => !bytes.equals(Buffer.from(body)))
    .map((body) => ({ description, body }));
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

/** The body after JSON.parse and JSON.stringify; null if it is the same or not JSON. */
export function reserializeJson(body: string): string | null {
  try {
    const reserialized = JSON.stringify(JSON.parse(body));
    return reserialized === body ? null : reserialized;
  } catch {
    return null;
  }
}

function isSameJson(first: Buffer, second: Buffer): boolean {
  try {
    return JSON.stringify(JSON.parse(first.toString())) === JSON.stringify(JSON.parse(second.toString()));
  } catch {
    return false;
  }
}

/** At least eight characters, so that a short word is not decoded. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4}){2,}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const removeLineEnding: ListBodies = (text) => [text.replace(/\r?\n$/, '')];
const addLineEnding: ListBodies = (text) => [`${text}\n`, `${text}\r\n`];
const removeByteOrderMark: ListBodies = (text) => [text.replace(/^\uFEFF/, '')];
const addByteOrderMark: ListBodies = (text) => [`\uFEFF${text}`];
const toLf: ListBodies = (text) => [text.replace(/\r\n/g, '\n')];
const toCrlf: ListBodies = (text) => [text.replace(/\r?\n/g, '\r\n')];
const normalizeUnicode: ListBodies = (text) => [text.normalize('NFC'), text.normalize('NFD')];

const bodyChanges: readonly BodyChange[] = [
  { description: 'a line ending was added at its end', apply: addLineEnding, undo: removeLineEnding },
  { description: 'the line ending at its end was removed', apply: removeLineEnding, undo: addLineEnding },
  // Before the change of whitespace, because `trim` also removes the byte order mark.
  { description: 'a byte order mark was added', apply: addByteOrderMark, undo: removeByteOrderMark },
  { description: 'whitespace was added around it', undo: (text) => [text.trim()] },
  {
    description: 'its JSON was parsed and serialized again',
    apply: listJsonVariants,
    undo: listJsonVariants,
  },
  { description: 'its line endings were changed from CRLF to LF', apply: toLf, undo: toCrlf },
  { description: 'its line endings were changed from LF to CRLF', apply: toCrlf, undo: toLf },
  { description: 'its byte order mark was removed', apply: removeByteOrderMark, undo: addByteOrderMark },
  {
    description: 'its UTF-8 was read as Latin-1',
    apply: (_, bytes) => [bytes.toString('latin1')],
    undo: (text) => [Buffer.from(text, 'latin1').toString()],
  },
  {
    description: 'it was encoded in base64',
    apply: (_, bytes) => [bytes.toString('base64')],
    undo: (text) => (BASE64.test(text) ? [Buffer.from(text, 'base64')] : []),
  },
  { description: 'its Unicode was normalized', apply: normalizeUnicode, undo: normalizeUnicode },
  {
    description: 'it was converted from UTF-8 to Latin-1',
    apply: (text) => [Buffer.from(text, 'latin1')],
    undo: (_, bytes) => [bytes.toString('latin1')],
  },
  {
    description: 'it was converted from UTF-8 to UTF-16',
    apply: (text) => [Buffer.from(text, 'utf16le')],
    undo: (_, bytes) => removeByteOrderMark(bytes.toString('utf16le'), bytes),
  },
  { description: 'only its field data was used', apply: (text) => listJsonParts(text, ({ data }) => data) },
  {
    description: 'only its field data.payload was used',
    apply: (text) => listJsonParts(text, ({ data }) => Object(data).payload),
  },
  { description: 'an empty body was used', apply: () => [''] },
  {
    description: 'it was an object that was converted to the text [object Object]',
    apply: () => ['[object Object]'],
  },
];

/** A part of a JSON text, serialized; nothing if there is none. */
function listJsonParts(text: string, getPart: (value: { readonly data?: unknown }) => unknown): string[] {
  try {
    // Object(…), because JSON can be a value without fields, such as null.
    const part = getPart(Object(JSON.parse(text)));
    return part === undefined ? [] : [JSON.stringify(part)];
  } catch {
    return [];
  }
}

/** The same JSON as common libraries write it; nothing if the text is not JSON or is nested too deeply. */
function listJsonVariants(text: string): Iterable<string> {
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
