/** The event types that a project declares. */
import type { EventDetail } from '../contract/event-schemas.ts';

/**
 * Event types by name, with their payloads. A project extends it, usually with the file that
 * `svc fixtures types > svc-events.d.ts` writes; until then every string is an event type.
 */
// biome-ignore lint/suspicious/noEmptyInterface: a project merges its own members into it.
export interface EventTypes {}

export type EventType = [keyof EventTypes] extends [never] ? string : keyof EventTypes & string;

/** A payload for an event of that type; a test rarely needs all of it. */
export type EventPayload<Type extends EventType> = Type extends keyof EventTypes
  ? Partial<EventTypes[Type]>
  : Readonly<Record<string, unknown>>;

/** An event with the payload of its type. */
export type EventWith<Type extends EventType> = Omit<EventDetail, 'type' | 'payload'> & {
  readonly type: Type;
  readonly payload: Type extends keyof EventTypes ? EventTypes[Type] : EventDetail['payload'];
};
