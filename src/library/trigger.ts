import type { Delivery } from '../contract/delivery-schemas.ts';
import type { Event } from '../contract/resources.ts';
import { type ControlPlane, listAll } from '../control/control-plane.ts';
import { toEventBody } from '../control/event-body.ts';
import type { RandomSource } from '../domain/secret.ts';
import { findFixture } from '../fixtures/event-fixtures.ts';
import { fixtureFolders } from '../fixtures/fixture-folders.ts';
import { fillTemplates } from '../fixtures/template.ts';
import { type ApiCaller, requestJson } from './api-request.ts';
import type { EventPayload, EventType } from './event-types.ts';

export interface TriggerOptions {
  /** Value of the `Idempotency-Key` header. */
  readonly idempotencyKey?: string;
}

/** An event and its deliveries right after it was created. */
export interface Triggered {
  readonly event: Event;
  readonly deliveries: Delivery[];
}

export interface TriggerSetup extends ApiCaller {
  readonly control: ControlPlane;
  readonly workspaceId: string;
  /** Name of the payload field in `POST /events` (decision `event.body`). */
  readonly payloadMember: string;
  /** Name of the workspace parameter of lists (decision `list.workspace`). */
  readonly workspaceParameter: string;
  /** Random numbers for the templates of fixtures. */
  readonly random: RandomSource;
}

export type Trigger = <Type extends EventType>(
  type: Type,
  payload?: EventPayload<Type>,
  options?: TriggerOptions,
) => Promise<Triggered>;

export function createTrigger(setup: TriggerSetup): Trigger {
  const { control, workspaceId, payloadMember, random } = setup;
  let sequence = 0;

  /** The payload of the fixture of the type with its templates filled in; `{}` without a fixture. */
  async function fillFixture(type: string): Promise<string> {
    const fixture = findFixture(type, fixtureFolders(process.cwd()));
    if (fixture === null) return '{}';
    const { now } = await control.getClock({ workspace_id: workspaceId });
    sequence++;
    return fillTemplates(fixture.template, { env: process.env, random, now: Date.parse(now), sequence });
  }

  return async (type, customPayload, { idempotencyKey } = {}) => {
    const payload = customPayload === undefined ? await fillFixture(type) : JSON.stringify(customPayload);
    const event = await requestJson<Event>(setup, '/v1/events', {
      method: 'POST',
      headers: idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey },
      body: toEventBody({ type, workspaceId, payloadMember, payload }),
    });
    const filter = { workspace_id: workspaceId, event_id: event.id };
    return { event, deliveries: await listAll((page) => control.listDeliveries({ ...page, ...filter })) };
  };
}
