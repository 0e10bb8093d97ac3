/** Parses a raw HTTP request, as a proxy or `nc -l` records it. */
import { SvcError } from '../domain/errors.ts';

/** The part of `Headers` of the Fetch API that verification needs. Names are case-insensitive. */
type HeaderLookup = Pick<Headers, 'get'>;

interface RawRequest {
  readonly headers: HeaderLookup;
  readonly body: Buffer;
}

const EMPTY_LINE = /\r?\n\r?\n/;
/** A header with the characters that RFC 9110 allows in its name, and its value without blanks around it. */
const HEADER = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*(.*?)[ \t]*$/;

/**
 * Reads the request line, the headers, an empty line and the body. With `Content-Length`, a line break that an editor
 * added after the body is dropped.
 * @throws SvcError `usage` for a missing empty line, an invalid header, and a chunked or compressed body
 */
export function parseRawRequest(bytes: Buffer, file: string): RawRequest {
  const separator = EMPTY_LINE.exec(bytes.toString('latin1'));
  if (separator === null) throw createFormatError(file, 'no empty line follows the headers');
  const [, ...lines] = bytes.toString('latin1', 0, separator.index).split(/\r?\n/);
  const headers = toHeaderLookup(lines.map((line) => parseHeader(line, file)));
  const body = bytes.subarray(separator.index + separator[0].length);
  if (/chunked/i.test(headers.get('transfer-encoding') ?? '')) {
    throw createBodyError(file, 'chunked', 'Write only the body to a file');
  }
  const encoding = headers.get('content-encoding') ?? 'identity';
  if (encoding !== 'identity') {
    throw createBodyError(file, `compressed with ${encoding}`, 'Write the decompressed body to a file');
  }
  const length = headers.get('content-length');
  return { headers, body: length === null ? body : body.subarray(0, Number(length)) };
}

function parseHeader(line: string, file: string): [string, string] {
  const [, name, value] = HEADER.exec(line) ?? [];
  if (name === undefined || value === undefined) {
    throw createFormatError(file, `${JSON.stringify(line)} is not a header such as Name: value`);
  }
  return [name, value];
}

/** Joins the values of a header that occurs several times (RFC 9110, section 5.3). */
function toHeaderLookup(headers: readonly (readonly [name: string, value: string])[]): HeaderLookup {
  return {
    get(name) {
      const values = headers.filter(([other]) => other.toLowerCase() === name.toLowerCase());
      return values.length === 0 ? null : values.map(([, value]) => value).join(', ');
    },
  };
}

function createBodyError(file: string, problem: string, instruction: string): SvcError {
  return new SvcError('usage', `The body in ${file} is ${problem}, so it is not the body that was signed.`, {
    hint: `${instruction} and pass --payload @FILE with --signature and --timestamp.`,
  });
}

function createFormatError(file: string, problem: string): SvcError {
  return new SvcError('usage', `${file} is not an HTTP request: ${problem}.`, {
    hint: 'Save the request with its headers, an empty line and the body.',
  });
}
