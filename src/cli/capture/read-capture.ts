/** Reads the events of a capture file. It reads and checks the whole file before anything is imported. */
import { isEventType } from '../../domain/event.ts';
import { isJson, isObject, type JsonObjectText, parseJsonObject } from '../../domain/json.ts';
import { SvcError } from '../../errors.ts';
import { type CapturedRequest, createCaptureError } from './capture.ts';
import { type CaptureSource, WHOLE_LIMIT_BYTES } from './capture-source.ts';
import { readHar } from './har-capture.ts';
import { type LineRange, readLine, readNdjson } from './ndjson-capture.ts';

/** An event to create. */
export interface CapturedEvent {
  readonly position: string;
  readonly at: number;
  readonly type: string;
  /** ID of the event in the recorded service; null if the file does not say. */
  readonly sourceId: string | null;
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

/** Returns the JSON text of the payload, unchanged. @throws SvcError `usage` if the file was changed meanwhile */
export function readPayload({ position, type, payload }: CapturedEvent, source: CaptureSource): string {
  if (typeof payload === 'string') return payload;
  try {
    const event = parseEvent(readLine(source, payload, position));
    if (!('problem' in event) && event.type === type) return event.payload;
  } catch {}
  throw new SvcError('usage', `${source.name} was changed during the import.`, {
    hint: 'Import a copy that does not change.',
  });
}

/** @throws SvcError `usage` with the line or the entry of the first problem; `interrupted` */
export async function readCapture(source: CaptureSource, signal: AbortSignal): Promise<Capture> {
  const har = parseHar(source);
  const { events, otherCount } =
    har === null ? await readNdjsonEvents(source, signal) : readHarEvents(har, source.name);
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

/** `log` is the only field of a HAR document. */
const HAR_START = /^\uFEFF?\s*\{\s*"log"\s*:/;

export function parseHar(source: CaptureSource): { readonly log: Readonly<Record<string, unknown>> } | null {
  if (!HAR_START.test(source.read(0, 1024).toString('utf8'))) return null;
  if (source.sizeBytes > WHOLE_LIMIT_BYTES) {
    throw new SvcError(
      'usage',
      `The HAR file ${source.name} is larger than ${WHOLE_LIMIT_BYTES / 2 ** 20} MB.`,
      {
        hint: 'Split the recording into several files.',
      },
    );
  }
  const text = source
    .read(0, source.sizeBytes)
    .toString('utf8')
    .replace(/^\uFEFF/, '');
  // NDJSON with several lines is not one JSON document.
  const value: unknown = isJson(text) ? JSON.parse(text) : null;
  return isObject(value) && isObject(value.log) ? { log: value.log } : null;
}

interface FoundEvents {
  /** In the order of the file, with the repeated ones. */
  readonly events: CapturedEvent[];
  readonly otherCount: number;
}

function readHarEvents(har: Parameters<typeof readHar>[0], file: string): FoundEvents {
  const events: CapturedEvent[] = [];
  let otherCount = 0;
  for (const request of readHar(har, file)) {
    const event = parseEvent(request);
    if ('problem' in event) otherCount++;
    else events.push({ position: request.position, at: request.at, ...event });
  }
  return { events, otherCount };
}

async function readNdjsonEvents(source: CaptureSource, signal: AbortSignal): Promise<FoundEvents> {
  const events: CapturedEvent[] = [];
  for await (const { request, range } of readNdjson(source)) {
    if (signal.aborted) throw new SvcError('interrupted', 'Interrupted.', { cause: signal.reason });
    const { position, at } = request;
    const event = parseEvent(request);
    if ('problem' in event) throw createCaptureError(source.name, position, event.problem);
    events.push({ position, at, ...event, payload: range });
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
 */
function parseEvent({ body, createdId }: CapturedRequest): ParsedEvent | { readonly problem: string } {
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
