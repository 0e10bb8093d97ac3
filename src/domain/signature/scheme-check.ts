import { isAllowedHeaderName } from '../delivery-headers.ts';
import { type SignatureScheme, signatureAlgorithms } from './scheme.ts';
import { digestBytes, formatSignatureHeader, parseSignatureHeader } from './signature-header.ts';

/** What keeps a value from being a scheme. */
export interface SchemeProblem {
  /** Where it is, such as `headers.signature`. */
  readonly path: string;
  /** What belongs there; completes the sentence "it must be …". */
  readonly expected: string;
  readonly found: unknown;
}

/** The first fault of what is to be a scheme that can sign and verify; null when it has none. */
export function findSchemeProblem(value: unknown): SchemeProblem | null {
  const faults = members.filter(([path, , holds]) => !holds(memberAt(value, path), value));
  const [fault] =
    faults.length > 0 ? faults : wholes.filter(([, , holds]) => !holds(value as SignatureScheme));
  return fault ? { path: fault[0], expected: fault[1], found: memberAt(value, fault[0]) } : null;
}

/**
 * Whether a template for the signed content can be used. The body is part of it in every scheme: one without it would
 * accept any body.
 */
export function isContentTemplate(content: unknown): content is string {
  if (typeof content !== 'string') return false;
  const placeholders: readonly string[] = content.match(/\{[^{}]*\}/g) ?? [];
  return placeholders.includes('{body}') && placeholders.every((name) => PLACEHOLDERS.includes(name));
}

export const CONTENT_TEMPLATE =
  'a text that contains {body}, and of placeholders only {id}, {timestamp} and {body}';
const PLACEHOLDERS: readonly string[] = ['{id}', '{timestamp}', '{body}'];

type MemberRule = readonly [
  path: string,
  expected: string,
  holds: (member: unknown, whole: unknown) => boolean,
];

/** What each member must be by itself. */
const members: readonly MemberRule[] = [
  ['name', 'a text', (name) => typeof name === 'string' && name !== ''],
  oneOf('algorithm', signatureAlgorithms),
  oneOf('key.form', ['utf8', 'base64', 'hex']),
  ['key.prefix', 'the text before the encoded key, or ""', isKeyPrefix],
  ['content', CONTENT_TEMPLATE, isContentTemplate],
  oneOf('encoding', ['hex', 'base64']),
  ['header.prefix', 'the text before each signature, or ""', isHeaderText],
  [
    'header.separator',
    'the text between two signatures, or null',
    orNull((text) => text !== '' && isHeaderText(text)),
  ],
  ['header.timestampField', 'the name of the timestamp in the signature header, or null', orNull(isWord)],
  ['headers.signature', 'the name of a header', isAllowedHeaderName],
  ['headers.timestamp', 'the name of a header, or null', orNull(isAllowedHeaderName)],
  ['headers.id', 'the name of a header, or null', orNull(isAllowedHeaderName)],
  oneOf('timestampFormat', ['iso8601', 'unix', 'unix_ms']),
];

type WholeRule = readonly [path: string, expected: string, holds: (scheme: SignatureScheme) => boolean];

/** What the members must be together. */
const wholes: readonly WholeRule[] = [
  [
    'headers.timestamp',
    'the name of a header, because {timestamp} is signed and would not be sent',
    ({ content, header, headers }) =>
      !content.includes('{timestamp}') || headers.timestamp !== null || header.timestampField !== null,
  ],
  [
    'headers.id',
    'the name of a header, because {id} is signed and would not be sent',
    ({ content, headers }) => !content.includes('{id}') || headers.id !== null,
  ],
  ['headers', 'names that differ from each other', hasDistinctHeaders],
  ['header', 'a prefix and a separator that tell the parts of the signature header apart', isReadBack],
];

function hasDistinctHeaders({ headers }: SignatureScheme): boolean {
  const names = Object.values(headers).filter((name) => name !== null);
  return new Set(names.map((name) => name.toLowerCase())).size === names.length;
}

const SAMPLE_TIMESTAMPS = { iso8601: '2026-11-20T23:06:00Z', unix: '1795215960', unix_ms: '1795215960000' };
/** Bytes whose base64 is every sign that base64 can have; their hex has every digit. */
const ALPHABET = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/', 'base64');
/** Where digests of twenty bytes begin that are all of {@link ALPHABET} together. */
const SAMPLE_STARTS = [0, 15, 30];

/** Whether the header that the scheme writes is read as what was written. */
function isReadBack(scheme: SignatureScheme): boolean {
  const { algorithm, encoding, header, timestampFormat } = scheme;
  const twice = Buffer.concat([ALPHABET, ALPHABET]);
  const samples = SAMPLE_STARTS.map((start) =>
    twice.subarray(start, start + digestBytes[algorithm]).toString(encoding),
  );
  const digests = header.separator === null ? samples.slice(0, 1) : samples;
  const timestamp = SAMPLE_TIMESTAMPS[timestampFormat];
  const read = parseSignatureHeader(scheme, formatSignatureHeader(scheme, timestamp, digests).trim());
  return (
    read.digests.join() === digests.join() &&
    read.timestamp === (header.timestampField === null ? null : timestamp)
  );
}

function oneOf(path: string, words: readonly unknown[]): MemberRule {
  const quoted = words.map((word) => JSON.stringify(word));
  return [path, `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`, (member) => words.includes(member)];
}

function orNull(holds: (member: unknown) => boolean): (member: unknown) => boolean {
  return (member) => member === null || holds(member);
}

/** A whole secret has no prefix to strip. */
function isKeyPrefix(prefix: unknown, scheme: unknown): boolean {
  return (
    memberAt(scheme, 'key.form') === 'utf8' || (typeof prefix === 'string' && /^[\x21-\x7e]*$/.test(prefix))
  );
}

function isHeaderText(text: unknown): boolean {
  return typeof text === 'string' && /^[\x20-\x7e]*$/.test(text);
}

function isWord(text: unknown): boolean {
  return typeof text === 'string' && /^\w+$/.test(text);
}

function memberAt(value: unknown, path: string): unknown {
  return path.split('.').reduce((within, name) => Object(within)[name], value);
}
