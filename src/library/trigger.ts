import type { Delivery } from '../contract/deliveries.ts';
import type { Event } from '../contract/resources.ts';
import type { ControlPlane } from '../control/control-plane.ts';
import { toEventBody } from '../control/event-body.ts';
import { listAll } from '../control/pages.ts';
import type { Randomness } from '../domain/random.ts';
import { fixtureFolders } from '../fixtures/folders.ts';
import { findFixture } from '../fixtures/library.ts';
import { fillTemplates } from '../fixtures/template.ts';
import type { EventPayload, EventType } from './event-types.ts';
import { askAs, type Caller } from './public-api.ts';

export interface TriggerOptions {
  /** Sent as the `Idempotency-Key` header. */
  readonly idempotencyKey?: string;
}

/** An event and its deliveries as they were right after it was created. */
export interface Triggered {
  readonly event: Event;
  readonly deliveries: Delivery[];
}

export interface TriggerSetup extends Caller {
  readonly control: ControlPlane;
  readonly workspaceId: string;
  /** What `POST /events` calls the payload (decision `event.body`). */
  readonly payloadMember: string;
  /** What lists call the workspace (decision `list.workspace`). */
  readonly workspaceParameter: string;
  /** What the templates of fixtures draw from. */
  readonly random: Randomness;
}

export type Trigger = <Type extends EventType>(
  type: Type,
  payload?: EventPayload<Type>,
  options?: TriggerOptions,
) => Promise<Triggered>;

export function createTrigger(setup: TriggerSetup): Trigger {
  const { control, workspaceId, payloadMember, random } = setup;
  let sequence = 0;

  /** The fixture of the type, the project's or a built-in one, with its templates filled; empty without one. */
  async function fillFixture(type: string): Promise<string> {
    const fixture = findFixture(type, fixtureFolders(process.cwd()));
    if (fixture === null) return '{}';
    const { now } = await control.getClock({ workspace_id: workspaceId });
    sequence++;
    return fillTemplates(fixture.template, { env: process.env, random, now: Date.parse(now), sequence });
  }

  return async (type, given, { idempotencyKey } = {}) => {
    const payload = given === undefined ? await fillFixture(type) : JSON.stringify(given);
    const event = await askAs<Event>(setup, '/v1/events', {
      method: 'POST',
      headers: idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey },
      body: toEventBody({ type, workspaceId, payloadMember, payload }),
    });
    const ofEvent = { workspace_id: workspaceId, event_id: event.id };
    return { event, deliveries: await listAll((page) => control.listDeliveries({ ...page, ...ofEvent })) };
  };
}
