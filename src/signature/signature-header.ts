/** Formats and parses the headers of a signature and their timestamps. */
import type { SignatureScheme } from './scheme.ts';

/** Length of a digest of each algorithm, in bytes. */
export const digestBytes = { sha1: 20, sha256: 32, sha512: 64 } as const;
/** The version of a signature, such as `v1` or `sha256`. */
const VERSION_PATTERN = /^(?:v\d\w{0,7}|sha\d{1,3})$/;

export type SignatureHeader = ReturnType<typeof parseSignatureHeader>;

/** The headers of a scheme in a request; null for a missing header. */
export function readSignatureHeaders({ headers }: SignatureScheme, request: Pick<Headers, 'get'>) {
  const get = (name: string | null) => (name === null ? null : request.get(name));
  return { signature: get(headers.signature), timestamp: get(headers.timestamp), id: get(headers.id) };
}

/** Parses the signature header of a request. Returns it with the message that it signs. */
export function readSignedMessage<Body>(
  scheme: SignatureScheme,
  request: Readonly<Record<'signature' | 'timestamp' | 'id', string>> & { readonly body: Body },
) {
  const { id, body } = request;
  const header = parseSignatureHeader(scheme, request.signature);
  // The signature header can contain the timestamp. Otherwise it has its own header.
  const timestamp = scheme.header.timestampField === null ? request.timestamp : (header.timestamp ?? '');
  return { header, message: { id, timestamp, body } };
}

/** The inverse of {@link parseSignatureHeader}. */
export function formatSignatureHeader(
  { header }: SignatureScheme,
  timestamp: string,
  digests: readonly string[],
): string {
  const parts = digests.map((digest) => header.prefix + digest);
  if (header.timestampField !== null) parts.unshift(`${header.timestampField}=${timestamp}`);
  return parts.join(header.separator ?? '');
}

/**
 * Parses a signature header. Ignores everything that is not a well-formed digest, so that the header can have other parts.
 * @returns its timestamp (null if it has none), the digests, still encoded, and versions of signatures that the scheme does not have
 */
export function parseSignatureHeader(scheme: SignatureScheme, text: string) {
  const { prefix, separator, timestampField } = scheme.header;
  const parts = (separator === null ? [text] : text.split(separator)).map((part) => part.trim());
  const timestampPart = parts.find(
    (part) => timestampField !== null && part.startsWith(`${timestampField}=`),
  );
  const digestPattern = createDigestPattern(scheme);
  return {
    timestamp: timestampPart?.slice(timestampPart.indexOf('=') + 1) ?? null,
    digests: parts
      .filter((part) => part.startsWith(prefix))
      .map((part) => part.slice(prefix.length))
      .filter((digest) => digestPattern.test(digest)),
    otherVersions: parts
      .map((part) => parseVersion(scheme, part))
      .filter((version) => version !== getSchemeVersion(scheme) && VERSION_PATTERN.test(version)),
  };
}

/** The form of the header, for messages: `v1=<64 lowercase hex characters>`. */
export function describeHeaderFormat(scheme: SignatureScheme): string {
  const alphabet = scheme.encoding === 'hex' ? 'lowercase hex' : 'base64';
  const digest = `<${getDigestLength(scheme)} ${alphabet} characters>`;
  return formatSignatureHeader(scheme, '<timestamp>', [digest]);
}

/** The version in the prefix of the scheme: `v1` for `v1=`. */
export function getSchemeVersion(scheme: SignatureScheme): string {
  return scheme.header.prefix.slice(0, -1);
}

/** The version of a part of the header: the text before the character that ends the prefix of the scheme, such as `=`. */
function parseVersion(scheme: SignatureScheme, part: string): string {
  const end = part.indexOf(scheme.header.prefix.slice(-1));
  return part.slice(0, Math.max(0, end));
}

function createDigestPattern(scheme: SignatureScheme): RegExp {
  const length = getDigestLength(scheme);
  return scheme.encoding === 'hex'
    ? new RegExp(`^[0-9a-f]{${length}}$`)
    : new RegExp(`^(?=.{${length}}$)[A-Za-z0-9+/]+={0,2}$`);
}

export function getDigestLength({ algorithm, encoding }: SignatureScheme): number {
  const bytes = digestBytes[algorithm];
  return encoding === 'hex' ? bytes * 2 : Math.ceil(bytes / 3) * 4;
}

const ISO_8601 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;
/** Up to the year 5138. */
const UNIX_SECONDS = /^\d{1,11}$/;
/** From 1973 to 5138; fewer digits are seconds. */
const UNIX_MS = /^\d{12,14}$/;

/** Formats a time (milliseconds since 1970) for a delivery: rounded down, except for `unix_ms` to whole seconds. */
export function formatTimestamp(format: SignatureScheme['timestampFormat'], ms: number): string {
  if (format === 'unix_ms') return String(Math.floor(ms));
  const seconds = Math.floor(ms / 1000);
  return format === 'unix' ? String(seconds) : `${new Date(seconds * 1000).toISOString().slice(0, -5)}Z`;
}

/**
 * Parses a timestamp in any format, independent of the scheme (gap `signature.timestamp`).
 * @returns milliseconds since 1970; null if it is neither ISO 8601 with a time zone nor a number since 1970.
 */
export function parseTimestamp(text: string): number | null {
  if (UNIX_SECONDS.test(text)) return Number(text) * 1000;
  if (UNIX_MS.test(text)) return Number(text);
  const ms = ISO_8601.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? null : ms;
}
