/** A value for each field that clients set on an event, except its type and its payload. A new field needs one, or this file does not compile. Without a field, the tests that use this table check nothing. */
import type { EventSettings } from '../../src/resources/event.ts';

export const eventFields = {} satisfies Required<EventSettings>;
