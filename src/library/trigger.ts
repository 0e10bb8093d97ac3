/** Creates events with `POST /v1/events`. */

import { createApiClient } from '../client/api-client.ts';
import { SvcError } from '../domain/errors.ts';
import { findPayloadTemplate } from '../fixtures/event-fixtures.ts';
import { fixtureFolders } from '../fixtures/fixture-folders.ts';
import { fillTemplates } from '../fixtures/template.ts';
import { createTemplateContexts } from '../fixtures/template-contexts.ts';
import { listAll } from '../operations/control-plane.ts';
import { systemClock } from '../platform/wall-clock.ts';
import type { Delivery } from '../resources/delivery.ts';
import { type Event, type EventSettings, toEventBody } from '../resources/event.ts';
import type { EventPayload, EventType } from './event-types.ts';
import type { WorkspaceSetup } from './workspace-setup.ts';

export interface TriggerOptions extends Partial<EventSettings> {
  /** Value of the `Idempotency-Key` header. */
  readonly idempotencyKey?: string;
}

/** An event and its deliveries right after it was created. */
export interface Triggered {
  readonly event: Event;
  readonly deliveries: Delivery[];
}

export type Trigger = <Type extends EventType>(
  type: Type,
  payload?: EventPayload<Type>,
  options?: TriggerOptions,
) => Promise<Triggered>;

function toJson(payload: object): string {
  try {
    return JSON.stringify(payload);
  } catch (error) {
    const { message } = error as Error;
    throw new SvcError('usage', `trigger: payload cannot be converted to JSON: ${message}.`, {
      cause: error,
    });
  }
}

export function createTrigger(setup: WorkspaceSetup): Trigger {
  const { emulator, control, workspaceId, apiKey, payloadField, random, closing } = setup;
  const templateContexts = createTemplateContexts({ env: process.env, random, now: systemClock.now });

  /** The payload of the fixture of the type with its templates filled in; `{}` without a fixture. @throws SvcError `usage` for a mistyped type */
  async function fillFixture(type: string): Promise<string> {
    const template = findPayloadTemplate(
      type,
      fixtureFolders(process.cwd(), emulator.status().sender),
      'as the second argument',
    );
    if (template === null) return '{}';
    await templateContexts.useScheduleClock(control, workspaceId);
    return fillTemplates(template, templateContexts.next());
  }

  return async (type, customPayload, { idempotencyKey, ...settings } = {}) => {
    const payload = customPayload === undefined ? await fillFixture(type) : toJson(customPayload);
    const api = createApiClient({
      baseUrl: `${emulator.status().url}/v1`,
      apiKey,
      ca: emulator.certificate ?? undefined,
      signal: closing,
    });
    const body = toEventBody({ type, workspaceId, payloadField, payload, settings });
    const { value: event } = await api.createEvent(body, idempotencyKey);
    const filter = { workspace_id: workspaceId, event_id: event.id };
    return { event, deliveries: await listAll((page) => control.listDeliveries({ ...page, ...filter })) };
  };
}
