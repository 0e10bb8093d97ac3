/** Reads and verifies the requests that a receiver gets. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { tryParseJson } from '../domain/json.ts';
import type { Envelope } from '../resources/event.ts';
import { type VerifyResult, verifyMessage } from '../signature/verify.ts';
import type { VerifyOptions } from '../signature/verify-input.ts';

/** How a receiver verifies requests: the endpoint secret, and optionally the scheme and the tolerance. */
export type VerificationOptions = Pick<VerifyOptions, 'secret' | 'scheme' | 'toleranceMs'>;

/** A request that a receiver got. */
export interface ReceivedRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn, as they arrived. */
  readonly rawHeaders: readonly string[];
  /** The raw bytes, which the signature covers (§6.1). */
  readonly body: Buffer;
  /** The parsed body; undefined if it is not JSON. */
  readonly json: unknown;
  /** The parsed body if it is the envelope of an event, otherwise null. */
  readonly envelope: Envelope | null;
  /** `data.id` of the envelope, the deduplication key (§6.6). */
  readonly eventId: string | null;
  /** Result of the verification; null if the receiver has no secret. */
  readonly verification: VerifyResult | null;
  /** Wall time at which the request was complete, in milliseconds since 1970. */
  readonly at: number;
}

/** Reads a request completely. @param now the wall clock */
export async function readReceivedRequest(
  incoming: IncomingMessage,
  now: () => number,
): Promise<Omit<ReceivedRequest, 'verification'>> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const { method = '', url = '', headers, rawHeaders } = incoming;
  const json = tryParseJson(body.toString('utf8'));
  const envelope = isEnvelope(json) ? json : null;
  return {
    method,
    path: url,
    headers,
    rawHeaders,
    body,
    json,
    envelope,
    at: now(),
    eventId: envelope?.data.id ?? null,
  };
}

export function verifyReceivedRequest(
  { body, headers, at }: Pick<ReceivedRequest, 'body' | 'headers' | 'at'>,
  options: VerificationOptions,
): VerifyResult {
  const get = (name: string) => {
    const value = headers[name.toLowerCase()];
    return Array.isArray(value) ? value.join(', ') : (value ?? null);
  };
  return verifyMessage({ ...options, payload: body, headers: { get }, now: at });
}

function isEnvelope(json: unknown): json is Envelope {
  const { type, data } = Object(json) as Partial<Envelope>;
  return typeof type === 'string' && typeof data?.id === 'string';
}
