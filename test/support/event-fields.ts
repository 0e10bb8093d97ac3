/** A value for each field that clients set on an event, except its type and its payload. A new field needs one, or this file does not compile. */
import type { EventSettings } from '../../src/resources/event.ts';

export const eventFields = {} satisfies Required<EventSettings>;
