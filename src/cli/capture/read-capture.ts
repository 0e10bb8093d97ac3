/** Reads the events of a capture file. It reads and checks the whole file before anything is imported. */
import * as v from 'valibot';
import type { Exchange } from '../../contract/exchange.ts';
import { Timestamp } from '../../contract/fields.ts';
import { isEventType } from '../../domain/event.ts';
import { isObject, type JsonObjectText, parseJsonObject } from '../../domain/json.ts';
import { SvcError } from '../../errors.ts';
import { createCaptureError } from './capture.ts';
import type { CaptureSource } from './capture-source.ts';
import { readHar } from './har-capture.ts';
import { type LineRange, readLine, readNdjson } from './ndjson-capture.ts';

/** An event to create. */
export interface CapturedEvent {
  readonly position: string;
  readonly at: number;
  readonly type: string;
  /** ID of the event in the recorded service; null if the file does not say. */
  readonly sourceId: string | null;
  /** Whether `svc gaps record` created it. Only its HAR file says so. */
  readonly isProbe: boolean;
  /** JSON text of an object, unchanged; or the line that contains it, so that it does not stay in memory. */
  readonly payload: string | LineRange;
}

export interface Capture {
  /** Each event once, in the order of time. */
  readonly events: readonly CapturedEvent[];
  /** Number of further deliveries and attempts of these events. */
  readonly repeatedCount: number;
  /** Number of `POST` requests with a body that create or deliver no event. Only in HAR, which records all requests of a program. */
  readonly otherCount: number;
}

/** The fields of an exported delivery that an import needs. */
const Line = v.object({ created_at: Timestamp, body: v.string() });

/** Returns the JSON text of the payload, unchanged. @throws SvcError `usage` if the file was changed meanwhile */
export function readPayload({ position, type, payload }: CapturedEvent, source: CaptureSource): string {
  if (typeof payload === 'string') return payload;
  try {
    const event = parseEvent(readLine(source, Line, payload, position).body);
    if (!('problem' in event) && event.type === type) return event.payload;
  } catch {}
  throw new SvcError('usage', `${source.name} was changed during the import.`, {
    hint: 'Import a copy that does not change.',
  });
}

/** @throws SvcError `usage` with the line or the entry of the first problem; `interrupted` */
export async function readCapture(source: CaptureSource, signal: AbortSignal): Promise<Capture> {
  const exchanges = readHar(source);
  const { events, otherCount } =
    exchanges === null ? await readNdjsonEvents(source, signal) : readHarEvents(exchanges);
  const eventsById = new Map<string, CapturedEvent>();
  for (const event of events.sort((a, b) => a.at - b.at)) {
    const key = event.sourceId ?? event.position;
    if (!eventsById.has(key)) eventsById.set(key, event);
  }
  if (eventsById.size === 0) throw createEmptyError(source.name);
  return {
    events: [...eventsById.values()],
    repeatedCount: events.length - eventsById.size,
    otherCount,
  };
}

interface FoundEvents {
  /** In the order of the file, with the repeated ones. */
  readonly events: CapturedEvent[];
  readonly otherCount: number;
}

/** Only `POST` requests with a body can contain an event, so the others are skipped. */
function readHarEvents(exchanges: readonly Exchange[]): FoundEvents {
  const events: CapturedEvent[] = [];
  let otherCount = 0;
  for (const { entry: position, method, body, responseBody, createdAt: at, isProbe } of exchanges) {
    if (method !== 'POST' || body.content.length === 0) continue;
    const event = parseEvent(body.content.toString(), findId(responseBody.content.toString()));
    if ('problem' in event) otherCount++;
    else events.push({ position, at, isProbe, ...event });
  }
  return { events, otherCount };
}

/** The event ID in the response of the API; null in the response of a receiver. */
function findId(text: string): string | null {
  return /^\s*\{\s*"id"\s*:\s*"(evt_\w+)"/.exec(text)?.[1] ?? null;
}

async function readNdjsonEvents(source: CaptureSource, signal: AbortSignal): Promise<FoundEvents> {
  const events: CapturedEvent[] = [];
  for await (const { position, range, delivery } of readNdjson(source, Line, signal)) {
    const event = parseEvent(delivery.body);
    if ('problem' in event) throw createCaptureError(source.name, position, event.problem);
    const at = Date.parse(delivery.created_at);
    events.push({ position, at, isProbe: false, ...event, payload: range });
  }
  return { events, otherCount: 0 };
}

function createEmptyError(file: string): SvcError {
  return new SvcError('usage', `${file} contains no event.`, {
    hint: {
      text: 'Record the requests to a receiver, or export deliveries',
      command: 'svc deliveries export --out deliveries.ndjson',
    },
  });
}

interface ParsedEvent extends Pick<CapturedEvent, 'type' | 'sourceId'> {
  readonly payload: string;
}

/**
 * The event of a delivery envelope (§2), or of a request to create an event (§4). Without a field `payload`, the payload of
 * an envelope is its whole `data`, because the service description does not show the other fields.
 * @param createdId ID of the event that the request created; null for a delivery
 */
function parseEvent(
  body: string,
  createdId: string | null = null,
): ParsedEvent | { readonly problem: string } {
  let json: JsonObjectText;
  try {
    json = parseJsonObject(body, 'the body');
  } catch (error) {
    return { problem: (error as Error).message.replace(/\.$/, '') };
  }
  const { type, data, payload } = json.value;
  if (typeof type !== 'string' || !isEventType(type)) {
    return { problem: 'the body has no type such as order.shipped' };
  }
  const dataId = isObject(data) && typeof data.id === 'string' && data.id.startsWith('evt_') ? data.id : null;
  const dataText = json.fieldText('data') ?? '{}';
  if (dataId !== null) {
    const record = parseJsonObject(dataText);
    const hasPayload = isObject(record.value.payload);
    const payloadText = hasPayload ? record.fieldText('payload') : undefined;
    return { type, payload: payloadText ?? dataText, sourceId: dataId };
  }
  if (isObject(payload) || isObject(data)) {
    const payloadText = json.fieldText(isObject(payload) ? 'payload' : 'data') ?? '{}';
    return { type, payload: payloadText, sourceId: createdId };
  }
  return { problem: 'the body has neither data nor payload' };
}
