/** Parses a raw HTTP request, as a proxy or `nc -l` records it. */
import { SvcError } from '../domain/errors.ts';

interface RawRequest {
  readonly headers: Headers;
  readonly body: Buffer;
}

const EMPTY_LINE = /\r?\n\r?\n/;

/**
 * Reads the request line, the headers, an empty line and the body. With `Content-Length`, a line break that an editor
 * added after the body is dropped.
 * @throws SvcError `usage` for a missing empty line, an invalid header, and a chunked or compressed body
 */
export function parseRawRequest(bytes: Buffer, file: string): RawRequest {
  const separator = EMPTY_LINE.exec(bytes.toString('latin1'));
  if (separator === null) throw createFormatError(file, 'no empty line follows the headers');
  const [, ...lines] = bytes.toString('latin1', 0, separator.index).split(/\r?\n/);
  const headers = new Headers();
  for (const line of lines) addHeader(line, headers, file);
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

/** Joins the values of a header that occurs several times (RFC 9110, section 5.3). */
function addHeader(line: string, headers: Headers, file: string): void {
  const [name = '', ...value] = line.split(':');
  try {
    if (value.length === 0) throw new Error('It has no colon.');
    headers.append(name, value.join(':'));
  } catch (cause) {
    throw createFormatError(file, `${JSON.stringify(line)} is not a header such as Name: value`, cause);
  }
}

function createBodyError(file: string, problem: string, instruction: string): SvcError {
  return new SvcError('usage', `The body in ${file} is ${problem}, so it is not the body that was signed.`, {
    hint: `${instruction} and pass --payload @FILE with --signature and --timestamp.`,
  });
}

function createFormatError(file: string, problem: string, cause?: unknown): SvcError {
  return new SvcError('usage', `${file} is not an HTTP request: ${problem}.`, {
    hint: 'Save the request with its headers, an empty line and the body.',
    cause,
  });
}
