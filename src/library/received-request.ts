import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { systemClock } from '../clock/wall-clock.ts';
import type { Event } from '../contract/resources.ts';
import { type VerifyResult, verifyMessage } from '../domain/signature/verify.ts';
import type { VerifyOptions } from '../domain/signature/verify-input.ts';

/** The JSON that is POSTed to an endpoint (§2 of the service description, decision `envelope`). */
export interface Envelope {
  readonly type: string;
  readonly workspace_id: string;
  readonly created_at: string;
  readonly data: Event;
}

/** What a receiver verifies by: the secret of the endpoint, and what differs from the service. */
export type Verification = Pick<VerifyOptions, 'secret' | 'scheme' | 'toleranceMs'>;

/** A request as a receiver got it. */
export interface ReceivedRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  /** The bytes, as they were signed. */
  readonly body: Buffer;
  /** The parsed body; undefined where it is no JSON. */
  readonly json: unknown;
  /** The parsed body where it is the envelope of an event, otherwise null. */
  readonly envelope: Envelope | null;
  /** `data.id` of the envelope, the key for deduplication (§6.6). */
  readonly eventId: string | null;
  /** Whether the signature is genuine; null for a receiver that knows no secret. */
  readonly verification: VerifyResult | null;
  /** Wall time at which it was complete, in milliseconds since 1970. */
  readonly at: number;
}

/** Reads a request to its end. */
export async function readReceivedRequest(
  incoming: IncomingMessage,
  verification: Verification | null,
): Promise<ReceivedRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const { method = '', url = '', headers, rawHeaders } = incoming;
  const at = systemClock.now();
  const json = parseJson(body);
  const envelope = isEnvelope(json) ? json : null;
  return {
    ...{ method, path: url, headers, rawHeaders, body, json, envelope, at },
    eventId: envelope?.data.id ?? null,
    verification:
      verification &&
      verifyMessage({ ...verification, payload: body, headers: { get: pickFrom(headers) }, now: at }),
  };
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

function isEnvelope(json: unknown): json is Envelope {
  const { type, data } = Object(json) as Partial<Envelope>;
  return typeof type === 'string' && typeof data?.id === 'string';
}

function pickFrom(headers: IncomingHttpHeaders): (name: string) => string | null {
  return (name) => {
    const value = headers[name.toLowerCase()];
    return Array.isArray(value) ? value.join(', ') : (value ?? null);
  };
}
