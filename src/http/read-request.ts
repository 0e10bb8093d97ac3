/** Reads the path, the query and the body of a request. */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { H3Event } from 'h3';
import { SvcError } from '../domain/errors.ts';
import { type JsonObjectText, parseJsonObject } from '../domain/json-text.ts';
import { isInputInQuery, type Operation } from '../operations/operation.ts';

/** Length of the value of a header in a message, in characters. */
const SHOWN_LENGTH = 64;

/** Of a request to the control plane. A replay can have a body of its own, so it can be larger than one to `/v1`. */
export const CONTROL_BODY_LIMIT_BYTES = 4 * 1024 * 1024;

interface JsonBody {
  readonly bytes: Buffer;
  readonly json: JsonObjectText;
}

/** The bytes of a body, or the reason why it could not be read. */
export type ReceivedBody = Buffer | Error;

interface BodyRules {
  /** The result of {@link receiveBody}. */
  readonly received: ReceivedBody;
  /** Whether an empty body is the same as an empty object. */
  readonly isOptional: boolean;
}

/**
 * The fields of a request, not validated, and its body if the operation has one. A field in the path overrides one in the body or
 * the query.
 */
export function readInput(
  event: H3Event,
  { method }: Operation,
  rules: BodyRules,
): { readonly input: Record<string, unknown>; readonly body: JsonBody | null } {
  const inPath = Object.fromEntries(
    Object.entries(event.context.params ?? {}).map(([name, text]) => [name, decodeURIComponent(text)]),
  );
  if (isInputInQuery(method)) return { input: { ...readQuery(event), ...inPath }, body: null };
  const body = parseBody(event, rules);
  return { input: { ...body?.json.value, ...inPath }, body };
}

/**
 * The query as an object without a prototype.
 * @throws SvcError `invalid_request` for a parameter that occurs twice: it is unclear which one counts.
 */
export function readQuery(event: H3Event): Record<string, string> {
  const query: Record<string, string> = Object.create(null);
  for (const [name, value] of event.url.searchParams) {
    if (name in query) throw new SvcError('invalid_request', `The query contains ${name} twice.`);
    query[name] = value;
  }
  return query;
}

const JSON_TYPE = /^application\/(?:json|[\w.+-]+\+json)\s*(?:;|$)/i;

/**
 * Parses a JSON body (§2: `Content-Type: application/json`). An empty form of another site has a `Content-Type`, so that even
 * where a body is optional, the request is rejected because of its type.
 * @returns null for an empty body that is optional.
 * @throws SvcError `unsupported_media_type`, `payload_too_large` or `invalid_request`.
 */
function parseBody({ req: { headers } }: H3Event, { received, isOptional }: BodyRules): JsonBody | null {
  const isTypeChecked = !isOptional || headers.has('content-type');
  if (isTypeChecked) assertJsonType(headers);
  if (received instanceof Error) throw received;
  if (isOptional && received.length === 0) return null;
  if (!isTypeChecked) assertJsonType(headers);
  if (!isUtf8(received)) throw new SvcError('invalid_request', 'The body is not valid UTF-8.');
  return { bytes: received, json: parseJsonObject(received.toString('utf8')) };
}

const CHARSET = /;\s*charset\s*=\s*"?([^";\s]*)/gi;
const UTF_8 = /^utf-?8$/i;

function assertJsonType(headers: Headers): void {
  const type = headers.get('content-type');
  if (type === null || !JSON_TYPE.test(type)) {
    const problem =
      type === null ? 'The request has no Content-Type' : `The Content-Type is ${quoteHeader(type)}`;
    throw new SvcError('unsupported_media_type', `${problem}; send application/json.`);
  }
  const charsets = Array.from(type.matchAll(CHARSET), ([, name = '']) => name);
  const charset = charsets.find((name) => !UTF_8.test(name));
  if (charset !== undefined) {
    throw new SvcError(
      'unsupported_media_type',
      `The body has the charset ${quoteHeader(charset)}; send UTF-8.`,
    );
  }
  const coding = headers.get('content-encoding');
  if (coding !== null && coding.toLowerCase() !== 'identity') {
    throw new SvcError(
      'unsupported_media_type',
      `The Content-Encoding is ${quoteHeader(coding)}; send the body without compression.`,
    );
  }
}

export function quoteHeader(value: string): string {
  return JSON.stringify(value.slice(0, SHOWN_LENGTH));
}

/** Reads the body of a request whose input is not in the query; for other requests, it is empty. */
export function receiveBody(
  event: H3Event,
  { method }: Operation,
  sizeLimit: number,
): ReceivedBody | Promise<ReceivedBody> {
  return isInputInQuery(method) ? NO_BYTES : readBody(event, sizeLimit).catch((error: Error) => error);
}

const NO_BYTES = Buffer.alloc(0);

/**
 * Reads the whole body, up to a limit (gap `body.limit`).
 * @throws SvcError `payload_too_large`; `invalid_request` when the client disconnects before the end.
 */
function readBody({ req, runtime }: H3Event, sizeLimit: number): Promise<Buffer> {
  // Not the stream of the Fetch API, which would take longer than the rest of the request.
  const request = runtime?.node?.req as IncomingMessage;
  return new Promise((resolve, reject) => {
    const declared = Number(req.headers.get('content-length'));
    if (declared > sizeLimit) return reject(createSizeError(sizeLimit));
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      // The rest is read and discarded, so that the client receives the response.
      if (size > sizeLimit) {
        chunks.length = 0;
        reject(createSizeError(sizeLimit));
      } else chunks.push(chunk);
    });
    request.on('end', () => resolve(Buffer.concat(chunks)));
    // Every request emits `close`. Creating an error each time would take as long as half of the other work.
    request.on('close', () => {
      if (!request.complete)
        reject(new SvcError('invalid_request', 'The connection ended before the body was complete.'));
    });
  });
}

function createSizeError(sizeLimit: number): SvcError {
  return new SvcError('payload_too_large', `The body is larger than ${sizeLimit} bytes.`);
}
