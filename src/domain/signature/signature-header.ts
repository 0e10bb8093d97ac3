import type { SignatureScheme } from './scheme.ts';

/** Lengths of the digests of each algorithm. */
export const digestBytes = { sha1: 20, sha256: 32, sha512: 64 } as const;
const VERSION = /^(?:v\d\w{0,7}|sha\d{1,3})$/;

export interface SignatureHeader {
  /** The timestamp inside the header; null where the scheme or the header has none there. */
  readonly timestamp: string | null;
  /** Digests that are well-formed in the scheme, still encoded. */
  readonly digests: readonly string[];
  /** Versions of signatures that the scheme does not know. */
  readonly otherVersions: readonly string[];
}

/** What a request carries of a signature, as text; null for what it does not. */
export function readSignatureHeaders({ headers }: SignatureScheme, request: Pick<Headers, 'get'>) {
  const value = (name: string | null) => (name === null ? null : request.get(name));
  return { signature: value(headers.signature), timestamp: value(headers.timestamp), id: value(headers.id) };
}

/** The timestamp that was signed: of the signature header where the scheme has it there, otherwise of its own. */
export function getSignedTimestamp(
  { header }: SignatureScheme,
  { timestamp }: SignatureHeader,
  ownHeader: string,
): string {
  return header.timestampField === null ? ownHeader : (timestamp ?? '');
}

/** Writes the header that {@link parseSignatureHeader} reads. */
export function formatSignatureHeader(
  { header }: SignatureScheme,
  timestamp: string,
  digests: readonly string[],
): string {
  const parts = digests.map((digest) => header.prefix + digest);
  if (header.timestampField !== null) parts.unshift(`${header.timestampField}=${timestamp}`);
  return parts.join(header.separator ?? '');
}

/** Reads a signature header. What is no well-formed digest is left out, so a header may carry more than we know. */
export function parseSignatureHeader(scheme: SignatureScheme, text: string): SignatureHeader {
  const { prefix, separator, timestampField } = scheme.header;
  const parts = (separator === null ? [text] : text.split(separator)).map((part) => part.trim());
  const timestampPart = parts.find(
    (part) => timestampField !== null && part.startsWith(`${timestampField}=`),
  );
  const wellFormed = digestPattern(scheme);
  return {
    timestamp: timestampPart?.slice(timestampPart.indexOf('=') + 1) ?? null,
    digests: parts
      .filter((part) => part.startsWith(prefix))
      .map((part) => part.slice(prefix.length))
      .filter((digest) => wellFormed.test(digest)),
    otherVersions: parts.map((part) => versionOf(scheme, part)).filter((version) => isOther(scheme, version)),
  };
}

/** The least that the header must hold, for people: `v1=<64 lowercase hex characters>`. */
export function describeHeaderFormat(scheme: SignatureScheme): string {
  const alphabet = scheme.encoding === 'hex' ? 'lowercase hex' : 'base64';
  const digest = `<${digestLength(scheme)} ${alphabet} characters>`;
  return formatSignatureHeader(scheme, '<timestamp>', [digest]);
}

/** The version that the scheme reads, `v1` for the prefix `v1=`. */
export function schemeVersion(scheme: SignatureScheme): string {
  return scheme.header.prefix.slice(0, -1);
}

function versionOf(scheme: SignatureScheme, part: string): string {
  const end = part.indexOf(scheme.header.prefix.slice(-1));
  return part.slice(0, Math.max(0, end));
}

function isOther(scheme: SignatureScheme, version: string): boolean {
  return version !== schemeVersion(scheme) && VERSION.test(version);
}

function digestPattern(scheme: SignatureScheme): RegExp {
  const length = digestLength(scheme);
  return scheme.encoding === 'hex'
    ? new RegExp(`^[0-9a-f]{${length}}$`)
    : new RegExp(`^(?=.{${length}}$)[A-Za-z0-9+/]+={0,2}$`);
}

function digestLength({ algorithm, encoding }: SignatureScheme): number {
  const bytes = digestBytes[algorithm];
  return encoding === 'hex' ? bytes * 2 : Math.ceil(bytes / 3) * 4;
}
