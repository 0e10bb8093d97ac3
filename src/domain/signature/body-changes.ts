/** The changes of a body between the sender and the verification: what each makes of a body, and how to undo it. */
import { createHash } from 'node:crypto';
import {
  getJsonField,
  JsonWriter,
  orderFields,
  type ParsedJson,
  parseJson,
  type Serializer,
  serializers,
} from './json-serializers.ts';

/** A body in the forms that changes need. */
class ChangeableBody {
  readonly bytes: Buffer;
  readonly text: string;
  /** Null if it is not JSON. */
  readonly json: ParsedJson | null;
  readonly #writers = new Map<unknown, JsonWriter>();

  constructor(body: Body) {
    this.bytes = Buffer.from(body);
    this.text = this.bytes.toString();
    this.json = parseJson(this.text);
  }

  /** Its JSON as a serializer writes it. @param arrange changes the JSON before */
  serialize(serializer: Serializer, arrange: (json: ParsedJson) => ParsedJson = keepJson): string[] {
    if (this.json === null) return [];
    const writer = this.#writers.get(arrange) ?? new JsonWriter(arrange(this.json));
    this.#writers.set(arrange, writer);
    const written = writer.write(serializer);
    return written === null ? [] : [written];
  }
}

const keepJson = (json: ParsedJson) => json;

type Body = string | Uint8Array;
type ListBodies = (body: ChangeableBody) => Iterable<Body>;

interface BodyChange {
  /** A clause that says how the body was changed. */
  readonly description: string;
  /** Continues the clause if it is known what the receiver did. */
  readonly cause?: string;
  /** The bodies that the change can make of a body. Missing for a change that a receiver does not make itself. */
  readonly apply?: ListBodies;
  /** The bodies of which the change may have made this one. Missing for a change that loses the original. */
  readonly undo?: ListBodies;
}

export interface ChangedBody {
  readonly description: string;
  readonly body: Body;
}

/**
 * Lists what a receiver may have made of the body that was sent, the most likely first, each body once.
 * @param isReceived leaves out the changes that {@link listOriginalBodies} undoes
 */
export function* listChangedBodies(sent: Body, isReceived = false): Generator<ChangedBody> {
  const changes = isReceived ? otherChanges.filter(({ undo }) => undo === undefined) : appliedChanges;
  const isLarge = Buffer.byteLength(sent) > LARGE_BODY_BYTES;
  yield* listBodies(
    sent,
    isLarge ? [truncate(LARGE_BODY_BYTES), ...changes] : changes,
    ({ description, cause, apply }) => ({
      description: cause === undefined ? description : `${description}, ${cause}`,
      list: apply,
    }),
  );
}

/** Lists the bodies that may have been sent, the simplest change first, each body once. */
export function* listOriginalBodies(received: Body): Generator<ChangedBody> {
  yield* listBodies(received, undoneChanges, ({ description, undo }) => ({ description, list: undo }));
}

function* listBodies(
  from: Body,
  changes: readonly BodyChange[],
  pick: (change: BodyChange) => { readonly description: string; readonly list: ListBodies | undefined },
): Generator<ChangedBody> {
  const body = new ChangeableBody(from);
  const listed = new Set([body.text]);
  for (const { description, list } of changes.map(pick)) {
    for (const changed of list?.(body) ?? []) {
      const key = typeof changed === 'string' ? changed : Buffer.from(changed).toString('latin1');
      if (listed.has(key)) continue;
      listed.add(key);
      yield { description, body: changed };
    }
  }
}

/** Bytes that are shown from the first difference on. */
const SHOWN_BYTES = 16;

/** How a body differs from the one that was sent: the end of the sentence "the body was changed after signing: …". */
export function describeDifference(sent: Body, received: Body): string {
  const [before, after] = [Buffer.from(sent), Buffer.from(received)];
  const cause = isSameJson(before, after) ? 'its JSON was parsed and serialized again: ' : '';
  return cause + locateDifference(before, after);
}

/** As {@link describeDifference}, with the change of a receiver that makes the received body of the sent one, if it is known. */
export function describeChange(sent: Body, received: Body): string {
  const [before, after] = [Buffer.from(sent), Buffer.from(received)];
  for (const { description, body } of listChangedBodies(sent)) {
    if (after.equals(Buffer.from(body))) return `${description}: ${locateDifference(before, after)}`;
  }
  return describeDifference(sent, received);
}

function locateDifference(before: Buffer, after: Buffer): string {
  const index = before.findIndex((byte, i) => byte !== after[i]);
  const start = index === -1 ? before.length : index;
  if (start === after.length) return `it was truncated after byte ${start}`;
  if (start === before.length) return `bytes were added after byte ${start}`;
  const show = (bytes: Buffer) => JSON.stringify(bytes.toString('utf8', start, start + SHOWN_BYTES));
  return `from byte ${start} on, ${show(before)} became ${show(after)}`;
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
/** The limits of readers: powers of two and of ten, and those of frameworks. */
const READ_LIMITS = [
  ...[16, 32, 64, 100, 128, 256, 500, 512, 1000, 1024, 2000, 2048, 4000, 4096, 5000, 8000, 8192, 10_000],
  ...[10_240, 16_384, 32_768, 50_000, 51_200, 65_535, 65_536, 100_000, 102_400, 131_072, 262_144, 1_000_000],
];

const removeLineEnding: ListBodies = ({ text }) => [text.replace(/\r?\n$/, '')];
const addLineEnding: ListBodies = ({ text }) => [`${text}\n`, `${text}\r\n`];
const removeByteOrderMark: ListBodies = ({ text }) => [text.replace(/^\uFEFF/, '')];
const addByteOrderMark: ListBodies = ({ text }) => [`\uFEFF${text}`];
const toLf: ListBodies = ({ text }) => [text.replace(/\r\n/g, '\n')];
const toCrlf: ListBodies = ({ text }) => [text.replace(/\r?\n/g, '\r\n')];
const normalizeUnicode: ListBodies = ({ text }) => [text.normalize('NFC'), text.normalize('NFD')];
const mapBytes = (bytes: Buffer, map: (byte: number) => string) => Array.from(bytes, map).join('');
const toAscii = (byte: number) => (byte < 128 ? String.fromCharCode(byte) : '');

/** A row for each value that receivers use instead of the body. */
const replaceBody = (text: string, description: string): BodyChange => ({
  description: `it was ${description}`,
  apply: () => [text],
});

const truncate = (minBytes: number): BodyChange => ({
  description: 'only its first bytes were read',
  apply: ({ bytes }) =>
    READ_LIMITS.filter((limit) => limit >= minBytes && limit < bytes.length).map((limit) =>
      bytes.subarray(0, limit),
    ),
});
/** From this size on, a body is as likely to be truncated as to be serialized again. */
const LARGE_BODY_BYTES = 65_535;

/** The more likely ones first. */
const otherChanges: readonly BodyChange[] = [
  { description: 'a line ending was added at its end', apply: addLineEnding, undo: removeLineEnding },
  { description: 'the line ending at its end was removed', apply: removeLineEnding, undo: addLineEnding },
  replaceBody('', 'empty, as if something had read it before'),
  replaceBody('[object Object]', 'an object that was converted to the text [object Object]'),
  { description: 'only its field data was used', apply: (body) => listJsonParts(body, ['data']) },
  {
    description: 'it was serialized as a JSON string, in quotes and with escapes',
    apply: ({ text }) => [JSON.stringify(text)],
    undo: ({ text, json }) => (json !== null && text.startsWith('"') ? [JSON.parse(text)] : []),
  },
  replaceBody('undefined', 'the text undefined'),
  replaceBody('{}', 'the text {}'),
  replaceBody('[]', 'the text []'),
  replaceBody('null', 'the text null'),
  {
    description: 'its bytes were serialized as JSON, as JSON.stringify does with a Buffer',
    apply: ({ bytes }) => [JSON.stringify(bytes)],
  },
  replaceBody('[object Promise]', 'a promise that was not awaited, as the text [object Promise]'),
  replaceBody('[object ReadableStream]', 'a stream, as the text [object ReadableStream]'),
  replaceBody('[object ArrayBuffer]', 'an ArrayBuffer, as the text [object ArrayBuffer]'),
  replaceBody('[object Blob]', 'a Blob, as the text [object Blob]'),
  replaceBody('None', 'the text None'),
  replaceBody('nil', 'the text nil'),
  replaceBody('Array', 'an array that PHP converted to the text Array'),
  {
    description: 'its bytes were converted to text, separated by commas',
    apply: ({ bytes }) => [bytes.join()],
    undo: ({ text }) =>
      /^\d{1,3}(?:,\d{1,3}){7,}$/.test(text) ? [Uint8Array.from(text.split(','), Number)] : [],
  },
  {
    description: "its bytes were converted to text as Python does, such as b'…'",
    apply: ({ bytes }) => [toPythonBytes(bytes)],
  },
  {
    description: 'its bytes were printed as Go does, such as [123 34]',
    apply: ({ bytes }) => [`[${bytes.join(' ')}]`],
  },
  // Before the change of whitespace, because `trim` also removes the byte order mark.
  { description: 'a byte order mark was added', apply: addByteOrderMark, undo: removeByteOrderMark },
  {
    description: 'whitespace around it was removed',
    apply: ({ text }) => [text.trim()],
  },
  { description: 'whitespace was added around it', undo: ({ text }) => [text.trim()] },
  { description: 'its line endings were changed from CRLF to LF', apply: toLf, undo: toCrlf },
  { description: 'its line endings were changed from LF to CRLF', apply: toCrlf, undo: toLf },
  { description: 'its byte order mark was removed', apply: removeByteOrderMark, undo: addByteOrderMark },
  {
    description: 'its UTF-8 was read as Latin-1',
    apply: ({ bytes }) => [bytes.toString('latin1')],
    undo: ({ text }) => [Buffer.from(text, 'latin1').toString()],
  },
  {
    description: 'its UTF-8 was read as Windows-1252',
    apply: ({ bytes }) => [new TextDecoder('windows-1252').decode(bytes)],
  },
  {
    description: 'it was converted to ASCII, with ? for other characters',
    apply: ({ text, bytes }) => [
      text.replace(/[^\0-\x7f]/gu, '?'),
      text.replace(/[^\0-\x7f]/g, '?'),
      mapBytes(bytes, (byte) => toAscii(byte) || '?'),
    ],
  },
  {
    description: 'it was read as ASCII, with U+FFFD for other bytes',
    apply: ({ bytes }) => [mapBytes(bytes, (byte) => toAscii(byte) || '\uFFFD')],
  },
  {
    description: 'it was read as ASCII, without the highest bit of each byte',
    apply: ({ bytes }) => [bytes.toString('ascii')],
  },
  {
    description: 'its characters outside ASCII were dropped',
    apply: ({ bytes }) => [mapBytes(bytes, toAscii)],
  },
  {
    description: 'it was encoded in base64',
    apply: ({ bytes }) => [bytes.toString('base64')],
    undo: ({ text }) => (BASE64.test(text) ? [Buffer.from(text, 'base64')] : []),
  },
  {
    description: 'it was written in hex',
    apply: ({ bytes }) => [bytes.toString('hex')],
    undo: ({ text }) => (/^(?:[\da-f]{2}){8,}$/.test(text) ? [Buffer.from(text, 'hex')] : []),
  },
  { description: 'its Unicode was normalized', apply: normalizeUnicode, undo: normalizeUnicode },
  {
    description: 'it was converted from UTF-8 to Latin-1',
    apply: ({ text }) => [Buffer.from(text, 'latin1')],
    undo: ({ bytes }) => [bytes.toString('latin1')],
  },
  {
    description: 'it was converted from UTF-8 to UTF-16',
    apply: ({ text }) => [Buffer.from(text, 'utf16le')],
    undo: ({ bytes }) => [bytes.toString('utf16le').replace(/^\uFEFF/, '')],
  },
  {
    description: 'only its field data.payload was used',
    apply: (body) => listJsonParts(body, ['data', 'payload']),
  },
  {
    description: 'its form was parsed and encoded again',
    apply: ({ text, json }) => (json === null ? encodeFormAgain(text) : []),
    undo: ({ text, json }) => (json === null ? encodeFormAgain(text) : []),
  },
  {
    description: 'its special characters were escaped for HTML',
    apply: ({ text }) => ['&quot;', '&#34;'].map((quote) => escapeHtml(text, quote)),
  },
  {
    description: 'its SHA-256 hash in hex was used',
    apply: ({ bytes }) => [createHash('sha256').update(bytes).digest('hex')],
  },
  { description: 'all its whitespace was removed', apply: ({ text }) => [text.replace(/\s/g, '')] },
  truncate(0),
];

/** The most common serializers, the more common ones first. */
const COMMON_SERIALIZERS = [
  ...[
    'JSON.stringify',
    'json.dumps of Python',
    'json_encode of PHP',
    'JSON.generate of Ruby',
    'json.Marshal of Go',
  ],
  ...["json.dumps of Python with separators=(',', ':')", 'json_encode of PHP with JSON_UNESCAPED_SLASHES'],
  ...['json.dumps of Python with ensure_ascii=False', 'json_encode of PHP with JSON_UNESCAPED_UNICODE'],
  ...['json_encode of PHP with JSON_UNESCAPED_SLASHES, JSON_UNESCAPED_UNICODE'],
];
const commonChanges = COMMON_SERIALIZERS.flatMap((name) =>
  serializers.filter((serializer) => serializer.name === name).map(reserializeWith),
);
const rareChanges = serializers.filter(({ name }) => !COMMON_SERIALIZERS.includes(name)).map(reserializeWith);

/** Simple changes first, so that a line ending is not a serialization. */
const undoneChanges: readonly BodyChange[] = [...otherChanges, ...commonChanges, ...rareChanges];
const COMMON_OTHER_CHANGES = 12;
const appliedChanges: readonly BodyChange[] = [
  ...commonChanges,
  ...otherChanges.slice(0, COMMON_OTHER_CHANGES),
  ...rareChanges.slice(0, COMMON_OTHER_CHANGES),
  ...otherChanges.slice(COMMON_OTHER_CHANGES),
  ...rareChanges.slice(COMMON_OTHER_CHANGES),
];

function reserializeWith(serializer: Serializer): BodyChange {
  const { name, optionCount, choices } = serializer;
  // Receivers verify forged deliveries, too, so only what common senders write is undone.
  const isUndone = optionCount < 2 || (optionCount === 2 && choices.end !== '');
  return {
    description: 'its JSON was parsed and serialized again',
    cause: `as ${name} does`,
    apply: (body) => body.serialize(serializer),
    ...(isUndone && {
      undo: (body) => [
        ...body.serialize(serializer),
        ...(optionCount === 0 ? body.serialize(serializer, toServiceOrder) : []),
      ],
    }),
  };
}

/** A field of a JSON text, as the text is and as common libraries write it; nothing if it does not exist. */
function listJsonParts({ json }: ChangeableBody, path: readonly string[]): string[] {
  const part = json && getJsonField(json, path);
  if (part === null) return [];
  const writer = new JsonWriter(part);
  return serializers
    .filter(({ optionCount }) => optionCount === 0)
    .flatMap((serializer) => writer.write(serializer) ?? []);
}

/** The JSON of a delivery with its fields in the order of the service (gaps `envelope`, `event.record`). */
function toServiceOrder(json: ParsedJson): ParsedJson {
  const envelope = orderFields(json, [], ['type', 'workspace_id', 'created_at', 'data']);
  return orderFields(envelope, ['data'], ['id', 'workspace_id', 'type', 'payload', 'created_at']);
}

/** As `repr` of Python writes bytes. */
function toPythonBytes(bytes: Buffer): string {
  const escapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\\': '\\\\' };
  const text = bytes.toString('latin1');
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const content = text.replace(/[^ -~]|[\\']/g, (char) => {
    if (char === "'") return quote === "'" ? "\\'" : char;
    return escapes[char] ?? `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`;
  });
  return `b${quote}${content}${quote}`;
}

function escapeHtml(text: string, quote: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', quote)
    .replaceAll("'", '&#39;');
}

/** A form (`a=1&b=2`) as common libraries write it; nothing if the text is not a form. */
function encodeFormAgain(text: string): string[] {
  if (!/^[\w.[\]%-]+=[^\s{}"]*$/.test(text)) return [];
  const form = new URLSearchParams(text).toString();
  return [form, form.replaceAll('+', '%20'), form.replaceAll('%7E', '~')];
}
