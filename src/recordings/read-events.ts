/** Reads the events of a recording. */
import { SvcError } from '../domain/errors.ts';
import { isEventType } from '../domain/event.ts';
import { isObject } from '../domain/json.ts';
import { isJsonObjectText, parseJsonObject } from '../domain/json-text.ts';
import { pickFields } from '../resources/define-resource.ts';
import { type EventSettings, eventSettings } from '../resources/event.ts';
import type { Exchange, Recording } from './read-recording.ts';

export interface RecordedEvent {
  readonly position: string;
  readonly at: number;
  readonly type: string;
  /** ID of the event in the recorded service; null if the file does not say. */
  readonly sourceId: string | null;
  /** JSON text of an object, unchanged. */
  readonly payload: string;
  /** As recorded; the API validates them. */
  readonly settings: EventSettings;
}

export interface RecordedEvents {
  /** Each event once, in the order of time. */
  readonly events: readonly RecordedEvent[];
  /** Number of further deliveries of these events. */
  readonly repeatedCount: number;
  /** Number of bodies that are not those of an event. */
  readonly otherCount: number;
}

/** @throws SvcError `usage` for a recording without an event */
export function readEvents({ file, entries }: Recording): RecordedEvents {
  const sent = entries.filter(({ method, body }) => method === 'POST' && body.length > 0);
  const events = sent.flatMap(readEvent).sort((a, b) => a.at - b.at);
  const eventsById = new Map<string, RecordedEvent>();
  for (const event of events) {
    const key = event.sourceId ?? event.position;
    if (!eventsById.has(key)) eventsById.set(key, event);
  }
  if (eventsById.size === 0) {
    throw new SvcError('usage', `${file} contains no event.`, {
      hint: {
        text: 'Record the requests to a receiver, or export deliveries',
        command: 'svc deliveries export > deliveries.ndjson',
      },
    });
  }
  return {
    events: [...eventsById.values()],
    repeatedCount: events.length - eventsById.size,
    otherCount: sent.length - events.length,
  };
}

/**
 * The event of a delivery envelope (§2), or of a request to create an event (§4). Without a field `payload`, the payload of
 * an envelope is its whole `data`, because the service description does not show the other fields.
 */
function readEvent({ entry: position, at, body, responseText }: Exchange): RecordedEvent[] {
  const text = body.toString();
  if (!isJsonObjectText(text)) return [];
  const json = parseJsonObject(text);
  const { type, data } = json.value;
  if (typeof type !== 'string' || !isEventType(type)) return [];
  const dataText = json.fieldText('data') ?? '';
  const isEnvelope = isObject(data) && typeof data.id === 'string' && data.id.startsWith('evt_');
  const record = isEnvelope ? parseJsonObject(dataText) : json;
  const names = isEnvelope ? ['payload'] : ['payload', 'data'];
  const name = names.find((each) => isObject(record.value[each]));
  const payload = name === undefined ? dataText : record.fieldText(name);
  if (payload === undefined || (name === undefined && !isEnvelope)) return [];
  // The other fields that clients set. The emulator validates them when it creates the event.
  const settings = pickFields(eventSettings, record.value) as EventSettings;
  const sourceId = isEnvelope ? String(data.id) : findId(responseText);
  return [{ position, at, type, payload, settings, sourceId }];
}

/** The event ID in the response of the API; null in the response of a receiver. */
function findId(text: string): string | null {
  return /^\s*\{\s*"id"\s*:\s*"(evt_\w+)"/.exec(text)?.[1] ?? null;
}
