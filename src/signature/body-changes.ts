/** The changes of a body between the sender and the verification, and how two bodies differ. */
import { createHash } from 'node:crypto';
import {
  commonSerializers,
  type JsonTree,
  parseJson,
  type Serializer,
  serializers,
  writeJson,
} from './json-serializers.ts';

type Body = string | Uint8Array;
/** A body in the forms that changes need. */
interface ReadBody {
  readonly bytes: Buffer;
  readonly text: string;
  /** Null if it is not JSON. */
  readonly json: JsonTree | null;
}

type BodyChange = readonly [
  /** A clause that says how the body was changed. */
  description: string,
  /** The bodies that the change can make of a body. */
  apply: (body: ReadBody) => Body | readonly Body[],
  remedy?: string,
];

export interface ChangedBody {
  readonly description: string;
  /** What to do, if it is more than to use the raw body. */
  readonly remedy?: string | undefined;
  readonly body: Body;
}

/** Received bodies up to this size are changed, because the sender of a forged delivery must not cause much work. */
export const MAX_RECEIVED_BYTES = 64 * 1024;

/**
 * Lists what a receiver may have made of a body, the most likely first, each body once.
 * @param isReceived whether the body is the one that arrived, perhaps forged, so that the work is limited
 */
export function* listChangedBodies(from: Body, isReceived = false): Generator<ChangedBody> {
  const bytes = Buffer.from(from);
  if (isReceived && bytes.length > MAX_RECEIVED_BYTES) return;
  const text = bytes.toString();
  const body = { bytes, text, json: parseJson(text) };
  const listed = new Set([bytes.toString('latin1')]);
  for (const [description, apply, remedy] of isReceived ? changesOfReceived : changes) {
    for (const changed of [apply(body)].flat()) {
      const key = Buffer.from(changed).toString('latin1');
      if (listed.size < listed.add(key).size) yield { description, remedy, body: changed };
    }
  }
}

/** Bytes that are shown from the first difference on. */
const SHOWN_BYTES = 16;

/** How a body differs from the one that was sent: the end of the sentence "the body was changed after signing: …". */
export function describeDifference(sent: Body, received: Body): string {
  const location = locateDifference(Buffer.from(sent), Buffer.from(received));
  const change = nameChange(sent, received);
  return change === null ? location : `${change}: ${location}`;
}

/** The change of a receiver that makes the received body of the sent one; null for another. */
export function nameChange(sent: Body, received: Body): string | null {
  const [before, after] = [Buffer.from(sent), Buffer.from(received)];
  for (const { description, body } of listChangedBodies(sent))
    if (after.equals(Buffer.from(body))) return description;
  return isSameJson(before, after) ? 'its JSON is the same, written in another way' : null;
}

function locateDifference(before: Buffer, after: Buffer): string {
  const index = before.findIndex((byte, i) => byte !== after[i]);
  const start = index === -1 ? before.length : index;
  if (start === after.length) return `it was truncated after byte ${start}`;
  if (start === before.length) return `bytes were added after byte ${start}`;
  const show = (bytes: Buffer) => JSON.stringify(bytes.toString('utf8', start, start + SHOWN_BYTES));
  return `from byte ${start} on, ${show(before)} became ${show(after)}`;
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
/** The limits of readers. */
const READ_LIMITS = [
  100, 256, 512, 1000, 1024, 2048, 4096, 8192, 10_000, 16_384, 32_768, 65_535, 65_536, 100_000,
];

const mapBytes = (bytes: Buffer, map: (byte: number) => string) => Array.from(bytes, map).join('');
const toAscii = (byte: number) => (byte < 128 ? String.fromCharCode(byte) : '');

/** What receivers verify instead of a body that they have parsed, not awaited, or not read. */
const otherTexts = [
  ...['[object Object]', 'undefined', '{}', '[]', 'null', '[object Promise]', '[object ReadableStream]'],
  ...['[object ArrayBuffer]', '[object Blob]', 'None', 'nil', 'Array'],
];

/** How functions write `"` and `'` in HTML: those of PHP, Python, Ruby, PHP before 8.1, XML and Go, and without quotes. */
const htmlQuotes = [
  ...['&#039;', '&#x27;', '&#39;', "'", '&apos;'].map((single) => ['&quot;', single] as const),
  ['&#34;', '&#39;'],
  ['"', "'"],
] as const;

/** A limit that keeps less than a third is less likely than the other changes. */
const truncation: BodyChange = [
  'only its first bytes were read',
  ({ bytes, bytes: { length } }) =>
    READ_LIMITS.filter((limit) => limit < length && limit > length / 3).map((limit) =>
      bytes.subarray(0, limit),
    ),
];

const likelyChanges: readonly BodyChange[] = [
  ['a line ending was added at its end', ({ text }) => [`${text}\n`, `${text}\r\n`]],
  ['the line ending at its end was removed', ({ text }) => text.replace(/\r?\n$/, '')],
  [
    'it was empty, as if something had read it before',
    () => '',
    'Keep the bytes of the first read of the body, and verify them. Look for a parser, a middleware or a logger in front that reads the stream, or rewind it after that (env["rack.input"].rewind in Rack).',
  ],
  ['only its field data was used', ({ json }) => writeField(json, 'data')],
  ['it was serialized as a JSON string, in quotes and with escapes', ({ text }) => JSON.stringify(text)],
  ...otherTexts.map((text): BodyChange => [`it was the text ${text}`, () => text]),
  [
    'its bytes were serialized as JSON, as JSON.stringify does with a Buffer',
    ({ bytes }) => JSON.stringify(bytes),
  ],
];

/** The more likely ones first. */
const otherChanges: readonly BodyChange[] = [
  ['its bytes were converted to text, separated by commas', ({ bytes }) => bytes.join()],
  ["its bytes were converted to text as Python does, such as b'…'", ({ bytes }) => toPythonBytes(bytes)],
  ['its bytes were printed as Go does, such as [123 34]', ({ bytes }) => `[${bytes.join(' ')}]`],
  // Before the change of whitespace, because `trim` also removes the byte order mark.
  ['a byte order mark was added', ({ text }) => `\uFEFF${text}`],
  ['its byte order mark was removed', ({ text }) => text.replace(/^\uFEFF/, '')],
  ['whitespace around it was removed', ({ text }) => text.trim()],
  ['its line endings were changed from CRLF to LF', ({ text }) => text.replace(/\r\n/g, '\n')],
  ['its line endings were changed from LF to CRLF', ({ text }) => text.replace(/\r?\n/g, '\r\n')],
  ['its UTF-8 was read as Latin-1', ({ bytes }) => bytes.toString('latin1')],
  ['its UTF-8 was read as Windows-1252', ({ bytes }) => new TextDecoder('windows-1252').decode(bytes)],
  [
    'it was converted to ASCII, with ? for other characters',
    ({ text, bytes }) => [
      text.replace(/[^\0-\x7f]/gu, '?'),
      text.replace(/[^\0-\x7f]/g, '?'),
      mapBytes(bytes, (byte) => toAscii(byte) || '?'),
    ],
  ],
  [
    'it was read as ASCII, with U+FFFD for other bytes',
    ({ bytes }) => mapBytes(bytes, (byte) => toAscii(byte) || '\uFFFD'),
  ],
  ['it was read as ASCII, without the highest bit of each byte', ({ bytes }) => bytes.toString('ascii')],
  ['its characters outside ASCII were dropped', ({ bytes }) => mapBytes(bytes, toAscii)],
  [
    'it was escaped for HTML, as htmlspecialchars of PHP does',
    ({ text }) => {
      const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
      return htmlQuotes.map(([double, single]) => escaped.replaceAll('"', double).replaceAll("'", single));
    },
    'Verify the body as it arrived, and escape its texts where you write them into HTML.',
  ],
  [
    'its quotes and backslashes got a backslash, as addslashes of PHP does',
    ({ text }) => text.replace(/["'\\]/g, '\\$&'),
  ],
  ['it was encoded in base64', ({ bytes }) => bytes.toString('base64')],
  ['it was decoded from base64', ({ text }) => (BASE64.test(text) ? Buffer.from(text, 'base64') : [])],
  ['it was written in hex', ({ bytes }) => bytes.toString('hex')],
  [
    'it was decoded as a JSON string',
    ({ json }) => (typeof json === 'string' && json.startsWith('"') ? JSON.parse(json) : []),
  ],
  ['its Unicode was normalized', ({ text }) => [text.normalize('NFC'), text.normalize('NFD')]],
  ['it was converted from UTF-8 to Latin-1', ({ text }) => Buffer.from(text, 'latin1')],
  ['it was converted from UTF-8 to UTF-16', ({ text }) => Buffer.from(text, 'utf16le')],
  ['only its field data.payload was used', ({ json }) => writeField(json, 'data', 'payload')],
  ['its SHA-256 hash in hex was used', ({ bytes }) => createHash('sha256').update(bytes).digest('hex')],
  ['all its whitespace was removed', ({ text }) => text.replace(/\s/g, '')],
  ['each {} became [], as decoding JSON to an array does in PHP', ({ text }) => text.replaceAll('{}', '[]')],
];

const serializeWith = (used: readonly Serializer[]): BodyChange[] =>
  used.map(({ name, choices }) => [
    `its JSON was parsed and serialized again, as ${name} does`,
    ({ json }) => (json === null ? [] : writeJson(json, choices)),
  ]);

const changesOfReceived = [
  truncation,
  ...serializeWith(commonSerializers),
  ...likelyChanges,
  ...serializeWith(serializers.filter(({ optionCount }) => optionCount < 2)),
  ...otherChanges,
];
const changes = [...changesOfReceived, ...serializeWith(serializers)];

/** A field of a JSON text, as the text is and as common libraries write it; nothing if it does not exist. */
function writeField(json: JsonTree | null, ...path: readonly string[]): string[] {
  let field: JsonTree | null | undefined = json;
  for (const name of path) field = field instanceof Map ? field.get(name)?.value : null;
  return commonSerializers.flatMap(({ choices }) => (field == null ? [] : writeJson(field, choices)));
}

/** As `repr` of Python writes bytes that contain double quotes. */
function toPythonBytes(bytes: Buffer): string {
  const escapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };
  const toEscape = (char: string) =>
    escapes[char] ?? (/[\\']/.test(char) ? `\\${char}` : `\\x${Buffer.from(char, 'latin1').toString('hex')}`);
  return `b'${bytes.toString('latin1').replace(/[^ -~]|[\\']/g, toEscape)}'`;
}
