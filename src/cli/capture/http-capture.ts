/**
 * Reads raw HTTP/1.1 requests, as a proxy or `nc -l` records them. A line `received-at: TIME` can precede each request.
 * Lines end with CRLF or LF.
 */
import { isUtf8 } from 'node:buffer';
import { parseTimestamp } from '../../domain/signature/signature-header.ts';
import { HEADER } from '../raw-request.ts';
import { type CapturedRequest, createCaptureError } from './capture.ts';

const REQUEST_LINE = /^[A-Z]+ \S+ HTTP\/1\.[01]$/;
/** The line can also be a comment: `# received-at: TIME`. */
const RECEIVED_AT = /^(?:#\s*)?received-at:\s*(.*)$/i;
/** Headers with the time of a request, the best one first. */
const TIME_HEADERS = ['received-at', 'date', 'service-timestamp'];
/** The start of the next request, after a body of unknown length. */
const NEXT_REQUEST = /\n(?=(?:#\s*)?received-at:|[A-Z]+ \S+ HTTP\/1\.[01]\r?\n)/i;

/** Maximum length of a line in an error message. */
const MAX_SHOWN_LENGTH = 60;
const LINE_FEED = '\n'.charCodeAt(0);

/** Whether a text starts as {@link readHttp} expects it. */
export function isHttpCapture(text: string): boolean {
  const [line = ''] = text.trimStart().split(/\r?\n/, 1);
  return REQUEST_LINE.test(line) || RECEIVED_AT.test(line);
}

/** @throws SvcError `usage` with the line of the first problem. */
export function readHttp(bytes: Buffer, file: string): CapturedRequest[] {
  const reader = new CaptureReader(bytes, file);
  const requests: CapturedRequest[] = [];
  while (reader.skipEmptyLines()) requests.push(reader.readRequest());
  return requests;
}

class CaptureReader {
  readonly #bytes: Buffer;
  /** One character for each byte. */
  readonly #text: string;
  readonly #file: string;
  #offset = 0;
  /** Number of the line at {@link #offset}. */
  #line = 1;

  constructor(bytes: Buffer, file: string) {
    this.#bytes = bytes;
    this.#text = bytes.toString('latin1');
    this.#file = file;
  }

  /** Returns false at the end of the file. */
  skipEmptyLines(): boolean {
    const [space = ''] = /^\s*/.exec(this.#text.slice(this.#offset)) ?? [];
    this.#take(space.length);
    return this.#offset < this.#text.length;
  }

  readRequest(): CapturedRequest {
    let receivedAt = this.#readReceivedAt();
    this.skipEmptyLines();
    const position = `line ${this.#line}`;
    const requestLine = this.#takeLine();
    if (!REQUEST_LINE.test(requestLine)) {
      const shown = JSON.stringify(requestLine.slice(0, MAX_SHOWN_LENGTH));
      throw createCaptureError(
        this.#file,
        position,
        `expected a line such as POST /webhooks HTTP/1.1, not ${shown}`,
      );
    }
    const headers = this.#readHeaders();
    for (const name of TIME_HEADERS) receivedAt ??= this.#parseTime(headers.get(name), position);
    const bodyLine = `line ${this.#line}`;
    const body = this.#readBody(headers, bodyLine);
    if (!isUtf8(body)) throw createCaptureError(this.#file, bodyLine, 'the body is not UTF-8');
    return { position, at: receivedAt, body: body.toString('utf8'), createdId: null };
  }

  #readReceivedAt(): number | null {
    const position = `line ${this.#line}`;
    const [line = ''] = this.#text.slice(this.#offset).split(/\r?\n/, 1);
    const time = RECEIVED_AT.exec(line)?.[1];
    if (time === undefined) return null;
    this.#takeLine();
    return this.#parseTime(time, position);
  }

  #parseTime(text: string | undefined, position: string): number | null {
    if (text === undefined) return null;
    const time = parseTimestamp(text.trim()) ?? Date.parse(text);
    if (!Number.isNaN(time)) return time;
    throw createCaptureError(this.#file, position, `${JSON.stringify(text)} is not a time`);
  }

  /** Values by name in lower case. */
  #readHeaders(): ReadonlyMap<string, string> {
    const headers = new Map<string, string>();
    while (this.#offset < this.#text.length) {
      const position = `line ${this.#line}`;
      const line = this.#takeLine();
      if (line === '') break;
      const [, name, value] = HEADER.exec(line) ?? [];
      if (name === undefined || value === undefined) {
        const shown = JSON.stringify(line.slice(0, MAX_SHOWN_LENGTH));
        throw createCaptureError(this.#file, position, `${shown} is not a header such as Name: value`);
      }
      headers.set(name.toLowerCase(), value);
    }
    return headers;
  }

  #readBody(headers: ReadonlyMap<string, string>, position: string): Buffer {
    if (/chunked/i.test(headers.get('transfer-encoding') ?? '')) return this.#readChunks();
    const length = headers.get('content-length');
    if (length === undefined) return this.#readUntilNextRequest();
    if (!/^\d+$/.test(length) || this.#offset + Number(length) > this.#bytes.length) {
      const rest = this.#bytes.length - this.#offset;
      throw createCaptureError(this.#file, position, `Content-Length is ${length}, but ${rest} bytes follow`);
    }
    return this.#take(Number(length));
  }

  /** A body of unknown length, without the line breaks at its end. */
  #readUntilNextRequest(): Buffer {
    const rest = this.#text.slice(this.#offset);
    const next = NEXT_REQUEST.exec(rest);
    const body = next === null ? rest : rest.slice(0, next.index);
    return Buffer.from(this.#take(body.length).toString('latin1').trimEnd(), 'latin1');
  }

  #readChunks(): Buffer {
    const chunks: Buffer[] = [];
    for (;;) {
      const position = `line ${this.#line}`;
      const sizeLine = this.#takeLine();
      // Eight hexadecimal digits are enough for every body in a file.
      const [, digits] = /^([\da-f]{1,8})(?:;.*)?$/i.exec(sizeLine) ?? [];
      const size = digits === undefined ? Number.NaN : Number.parseInt(digits, 16);
      if (Number.isNaN(size) || this.#offset + size > this.#bytes.length) {
        throw createCaptureError(this.#file, position, 'the chunked body is incomplete');
      }
      if (size === 0) break;
      chunks.push(this.#take(size));
      this.#takeLine();
    }
    // Trailers have the form of headers.
    this.#readHeaders();
    return Buffer.concat(chunks);
  }

  /** Takes a line without its end. */
  #takeLine(): string {
    const end = this.#text.indexOf('\n', this.#offset);
    const bytes = this.#take((end === -1 ? this.#text.length : end + 1) - this.#offset);
    return bytes.toString('latin1').replace(/\r?\n$/, '');
  }

  #take(length: number): Buffer {
    const taken = this.#bytes.subarray(this.#offset, this.#offset + length);
    this.#offset += taken.length;
    this.#line += this.#countLines(taken);
    return taken;
  }

  #countLines(bytes: Buffer): number {
    let count = 0;
    for (const byte of bytes) if (byte === LINE_FEED) count++;
    return count;
  }
}
