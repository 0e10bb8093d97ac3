import { isAllowedHeaderName } from '../delivery-headers.ts';
import { type SignatureScheme, signatureAlgorithms } from './scheme.ts';
import { digestBytes, formatSignatureHeader, parseSignatureHeader } from './signature-header.ts';

/** Why a value is not a valid scheme. */
export interface SchemeProblem {
  /** Where it is, such as `headers.signature`. */
  readonly path: string;
  /** Completes the sentence "it must be …". */
  readonly expected: string;
  readonly found: unknown;
}

/** The first problem that keeps a value from being a scheme that can sign and verify; null when there is none. */
export function findSchemeProblem(value: unknown): SchemeProblem | null {
  const problems = fieldRules.filter(([path, , isValid]) => !isValid(fieldAt(value, path), value));
  const [problem] =
    problems.length > 0
      ? problems
      : schemeRules.filter(([, , isValid]) => !isValid(value as SignatureScheme));
  return problem ? { path: problem[0], expected: problem[1], found: fieldAt(value, problem[0]) } : null;
}

/**
 * Whether a template for the signed content is valid. It must contain the body: without it, a signature would be valid
 * for every body.
 */
export function isContentTemplate(content: unknown): content is string {
  if (typeof content !== 'string') return false;
  const placeholders: readonly string[] = content.match(/\{[^{}]*\}/g) ?? [];
  return placeholders.includes('{body}') && placeholders.every((name) => PLACEHOLDERS.includes(name));
}

export const CONTENT_TEMPLATE =
  'text that contains {body} and no placeholders other than {id}, {timestamp} and {body}';
const PLACEHOLDERS: readonly string[] = ['{id}', '{timestamp}', '{body}'];

type FieldRule = readonly [
  path: string,
  expected: string,
  isValid: (value: unknown, whole: unknown) => boolean,
];

/** Rules for single fields. */
const fieldRules: readonly FieldRule[] = [
  ['name', 'text', (name) => typeof name === 'string' && name !== ''],
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

type SchemeRule = readonly [path: string, expected: string, isValid: (scheme: SignatureScheme) => boolean];

/** Rules for the scheme as a whole. */
const schemeRules: readonly SchemeRule[] = [
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
  ['headers', 'different names', hasDistinctHeaders],
  ['header', 'a prefix and a separator with which the signature header can be parsed', isReadBack],
];

function hasDistinctHeaders({ headers }: SignatureScheme): boolean {
  const names = Object.values(headers).filter((name) => name !== null);
  return new Set(names.map((name) => name.toLowerCase())).size === names.length;
}

const SAMPLE_TIMESTAMPS = { iso8601: '2026-11-20T23:06:00Z', unix: '1795215960', unix_ms: '1795215960000' };
/** Bytes whose base64 contains every character of base64; their hex contains every digit. */
const ALPHABET = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/', 'base64');
/** Offsets of sample digests of twenty bytes that together cover {@link ALPHABET}. */
const SAMPLE_STARTS = [0, 15, 30];

/** Whether the scheme can parse the header that it writes. */
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

function oneOf(path: string, words: readonly unknown[]): FieldRule {
  const quoted = words.map((word) => JSON.stringify(word));
  return [path, `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`, (value) => words.includes(value)];
}

function orNull(isValid: (value: unknown) => boolean): (value: unknown) => boolean {
  return (value) => value === null || isValid(value);
}

/** With `utf8` the key is the whole secret and has no prefix. */
function isKeyPrefix(prefix: unknown, scheme: unknown): boolean {
  return (
    fieldAt(scheme, 'key.form') === 'utf8' || (typeof prefix === 'string' && /^[\x21-\x7e]*$/.test(prefix))
  );
}

function isHeaderText(text: unknown): boolean {
  return typeof text === 'string' && /^[\x20-\x7e]*$/.test(text);
}

function isWord(text: unknown): boolean {
  return typeof text === 'string' && /^\w+$/.test(text);
}

function fieldAt(value: unknown, path: string): unknown {
  return path.split('.').reduce((within, name) => Object(within)[name], value);
}
