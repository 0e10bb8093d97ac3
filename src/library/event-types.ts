/** The event types that a project declares. */
import type { EventDetail } from '../resources/event.ts';

/** Event types by name, with their payloads. A project extends this interface. While it is empty, every string is an event type. */
// biome-ignore lint/suspicious/noEmptyInterface: projects extend it by declaration merging.
export interface EventTypes {}

/** The names in {@link EventTypes}, or any string while it is empty. */
export type EventType = [keyof EventTypes] extends [never] ? string : keyof EventTypes & string;

/** Payload of an event of the type. Fields can be omitted, because a test rarely needs all. */
export type EventPayload<Type extends EventType> = Type extends keyof EventTypes
  ? Partial<EventTypes[Type]>
  : Readonly<Record<string, unknown>>;

/** An event with the payload of its type. */
export type EventWith<Type extends EventType> = Omit<EventDetail, 'type' | 'payload'> & {
  readonly type: Type;
  readonly payload: Type extends keyof EventTypes ? EventTypes[Type] : EventDetail['payload'];
};
