import { isUtf8 } from 'node:buffer';
import type { H3Event } from 'h3';
import { type JsonObjectText, parseJsonObject } from '../domain/json.ts';
import { SvcError } from '../errors.ts';
import { readBody } from './read-body.ts';

const JSON_TYPE = /^application\/(?:json|[\w.+-]+\+json)\s*(?:;|$)/i;

const CHARSET = /;\s*charset\s*=\s*"?([^";\s]*)/gi;
const UTF_8 = /^utf-?8$/i;

export interface JsonBody {
  readonly bytes: Buffer;
  readonly json: JsonObjectText;
}

/**
 * Like {@link readJsonBody}, but null for a request without a body. The form of another site without fields has a
 * Content-Type, which is not that of JSON, and is rejected by it.
 */
export async function readOptionalJsonBody(event: H3Event, limitBytes: number): Promise<JsonBody | null> {
  const type = event.req.headers.get('content-type');
  return hasBody(event) || (type !== null && !JSON_TYPE.test(type)) ? readJsonBody(event, limitBytes) : null;
}

function hasBody({ req, runtime }: H3Event): boolean {
  if (runtime?.node === undefined) return req.body !== null;
  return req.headers.has('transfer-encoding') || Number(req.headers.get('content-length') ?? 0) > 0;
}

/**
 * Reads a JSON body (§2: `Content-Type: application/json`).
 * @throws SvcError `unsupported_media_type`, `payload_too_large` or `invalid_request`.
 */
export async function readJsonBody(event: H3Event, limitBytes: number): Promise<JsonBody> {
  const type = event.req.headers.get('content-type');
  if (type === null || !JSON_TYPE.test(type)) {
    const given = type === null ? 'has no Content-Type' : 'has another Content-Type';
    throw new SvcError(
      'unsupported_media_type',
      `The request ${given}; send \`Content-Type: application/json\`.`,
    );
  }
  const charset = Array.from(type.matchAll(CHARSET), ([, name = '']) => name).find(
    (name) => !UTF_8.test(name),
  );
  if (charset !== undefined) {
    const name = JSON.stringify(charset.slice(0, 64));
    throw new SvcError('unsupported_media_type', `The body has the charset ${name}; send UTF-8.`);
  }
  const coding = event.req.headers.get('content-encoding');
  if (coding !== null && coding.toLowerCase() !== 'identity') {
    throw new SvcError('unsupported_media_type', 'The body is compressed; send it without Content-Encoding.');
  }
  const bytes = await readBody(event, limitBytes);
  if (!isUtf8(bytes)) throw new SvcError('invalid_request', 'The body is not valid UTF-8.');
  return { bytes, json: parseJsonObject(bytes.toString('utf8')) };
}
