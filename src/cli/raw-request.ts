/** A raw HTTP request, as a proxy or `nc -l` records it. */
import { SvcError } from '../errors.ts';
import { type HeaderLookup, toHeaderLookup } from './header-lookup.ts';

export interface RawRequest {
  readonly headers: HeaderLookup;
  readonly body: Buffer;
}

const EMPTY_LINE = /\r?\n\r?\n/;
const HEADER = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*(.*?)[ \t]*$/;

/**
 * Reads the request line, headers, an empty line and the body. Where `Content-Length` says where the body ends, the
 * line break that an editor adds after it is left out.
 * @throws SvcError `usage` when there is no empty line, a header that is none, or a body in chunks.
 */
export function parseRawRequest(bytes: Buffer): RawRequest {
  const end = EMPTY_LINE.exec(bytes.toString('latin1'));
  if (end === null) throw notARequest('an empty line between its headers and its body');
  const [, ...lines] = bytes.toString('latin1', 0, end.index).split(/\r?\n/);
  const headers = toHeaderLookup(lines.map(parseHeader));
  const body = bytes.subarray(end.index + end[0].length);
  if (/chunked/i.test(headers.get('transfer-encoding') ?? '')) {
    throw new SvcError('usage', 'The body in the file is in chunks, which are not what was signed.', {
      hint: 'Write the body alone into a file: --payload @FILE with --signature and --timestamp.',
    });
  }
  const length = headers.get('content-length');
  return { headers, body: length === null ? body : body.subarray(0, Number(length)) };
}

function parseHeader(line: string): [string, string] {
  const [, name, value] = HEADER.exec(line) ?? [];
  if (name === undefined || value === undefined) {
    throw notARequest(`a header such as Name: value where ${JSON.stringify(line)} stands`);
  }
  return [name, value];
}

function notARequest(wanted: string): SvcError {
  return new SvcError('usage', `The file is not an HTTP request: it needs ${wanted}.`);
}
