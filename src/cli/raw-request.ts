/** Parses a raw HTTP request, as a proxy or `nc -l` records it. */
import { SvcError } from '../errors.ts';

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
 * @throws SvcError `usage` for a missing empty line, an invalid header or a chunked body
 */
export function parseRawRequest(bytes: Buffer, file: string): RawRequest {
  const separator = EMPTY_LINE.exec(bytes.toString('latin1'));
  if (separator === null) throw createFormatError(file, 'no empty line follows the headers');
  const [, ...lines] = bytes.toString('latin1', 0, separator.index).split(/\r?\n/);
  const headers = toHeaderLookup(lines.map((line) => parseHeader(line, file)));
  const body = bytes.subarray(separator.index + separator[0].length);
  if (/chunked/i.test(headers.get('transfer-encoding') ?? '')) {
    throw new SvcError('usage', `The body in ${file} is chunked, so it is not the body that was signed.`, {
      hint: 'Write only the body to a file and pass --payload @FILE with --signature and --timestamp.',
    });
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

function toHeaderLookup(headers: Iterable<readonly [name: string, value: string]>): HeaderLookup {
  const values = new Map(Array.from(headers, ([name, value]) => [name.toLowerCase(), value]));
  return { get: (name) => values.get(name.toLowerCase()) ?? null };
}

function createFormatError(file: string, problem: string): SvcError {
  return new SvcError('usage', `${file} is not an HTTP request: ${problem}.`, {
    hint: 'Save the request with its headers, an empty line and the body.',
  });
}
