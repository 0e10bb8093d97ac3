/** Reads the events of a capture file. It reads and checks the whole file before anything is imported. */
import { isEventType } from '../../domain/event.ts';
import { isJson, isObject, type JsonObjectText, parseJsonObject } from '../../domain/json.ts';
import { SvcError } from '../../errors.ts';
import { type CapturedRequest, createCaptureError } from './capture.ts';
import { readHar } from './har-capture.ts';
import { readNdjson } from './ndjson-capture.ts';

/** An event to create. */
export interface CapturedEvent {
  readonly position: string;
  readonly at: number;
  readonly type: string;
  /** JSON text of an object, unchanged. */
  readonly payload: string;
  /** ID of the event in the recorded service; null if the file does not say. */
  readonly sourceId: string | null;
}

export interface Capture {
  /** Each event once, in the order of time. */
  readonly events: readonly CapturedEvent[];
  /** Number of further deliveries and attempts of these events. */
  readonly repeatedCount: number;
  /** Number of `POST` requests with a body that create or deliver no event. Only in HAR, which records all requests of a program. */
  readonly otherCount: number;
}

/**
 * @param file its name for errors
 * @throws SvcError `usage` with the line or the entry of the first problem
 */
export function readCapture(bytes: Buffer, file: string): Capture {
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  const har = parseHar(text);
  const requests = har === null ? readLines(text, file) : readHar(har, file);
  const events = new Map<string, CapturedEvent>();
  let repeatedCount = 0;
  let otherCount = 0;
  for (const request of requests.toSorted((a, b) => a.at - b.at)) {
    const event = toEvent(request);
    if ('problem' in event) {
      if (har === null) throw createCaptureError(file, request.position, event.problem);
      otherCount++;
      continue;
    }
    const key = event.sourceId ?? request.position;
    if (events.has(key)) repeatedCount++;
    else events.set(key, event);
  }
  if (events.size === 0) throw createEmptyError(file);
  return { events: [...events.values()], repeatedCount, otherCount };
}

function parseHar(text: string): { readonly log: Readonly<Record<string, unknown>> } | null {
  // NDJSON with several lines is not one JSON document.
  const value: unknown = text.trimStart().startsWith('{') && isJson(text) ? JSON.parse(text) : null;
  return isObject(value) && isObject(value.log) ? { log: value.log } : null;
}

function readLines(text: string, file: string): CapturedRequest[] {
  if (text.trimStart().startsWith('{')) return readNdjson(text, file);
  if (text.trim() === '') throw createEmptyError(file);
  throw createCaptureError(file, 'line 1', 'it is neither HAR nor NDJSON');
}

function createEmptyError(file: string): SvcError {
  return new SvcError('usage', `${file} contains no event.`, {
    hint: 'Record the requests to a receiver, or export deliveries with: svc deliveries export --out deliveries.ndjson',
  });
}

/**
 * The event of a delivery envelope (§2), or of a request to create an event (§4). Without a field `payload`, the payload of
 * an envelope is its whole `data`, because the service description does not show the other fields.
 */
function toEvent({
  position,
  at,
  body,
  createdId,
}: CapturedRequest): CapturedEvent | { readonly problem: string } {
  let json: JsonObjectText;
  try {
    json = parseJsonObject(body);
  } catch (error) {
    return { problem: (error as Error).message.replace(/^The body/, 'the body').replace(/\.$/, '') };
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
    return { position, at, type, payload: payloadText ?? dataText, sourceId: dataId };
  }
  if (isObject(payload) || isObject(data)) {
    const payloadText = json.fieldText(isObject(payload) ? 'payload' : 'data') ?? '{}';
    return { position, at, type, payload: payloadText, sourceId: createdId };
  }
  return { problem: 'the body has neither data nor payload' };
}
