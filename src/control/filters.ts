/** Filters of the control plane as the store takes them: ids checked, times read. */
import type * as v from 'valibot';
import type {
  AttemptFilter as AttemptFilterSchema,
  DeliveryFilter as DeliveryFilterSchema,
  EventFilter as EventFilterSchema,
  RequestFilter as RequestFilterSchema,
} from '../contract/filters.ts';
import { toMoment } from '../domain/moment.ts';
import { notFound } from '../sandbox/access.ts';
import type { LiveWorkspace } from '../sandbox/live-workspaces.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { ApiRequestFilter } from '../store/api-requests.ts';
import type { AttemptFilter } from '../store/attempts.ts';
import type { DeliveryFilter } from '../store/delivery-view.ts';
import type { EventFilter } from '../store/event-view.ts';

type InputOf<Entries extends v.ObjectEntries> = v.InferOutput<v.ObjectSchema<Entries, undefined>>;

/** @throws SvcError `not_found` for a filter by a workspace, event or endpoint that does not exist. */
export function toDeliveryFilter(
  sandbox: Sandbox,
  input: InputOf<typeof DeliveryFilterSchema>,
): DeliveryFilter {
  const { store } = sandbox;
  const workspace = findWorkspace(sandbox, input.workspace_id);
  const { event_id: eventId = null, webhook_id: webhookId = null } = input;
  if (eventId !== null && !store.events.find(eventId)) throw notFound('event', eventId);
  if (webhookId !== null && !store.webhooks.findPlace(webhookId)) throw notFound('webhook', webhookId);
  const now = (workspace ?? sandbox.workspaces.default).clock.now();
  return {
    workspaceSeq: workspace?.seq ?? null,
    status: input.status ?? null,
    eventId,
    type: input.type ?? null,
    webhookId,
    ...toPeriod(input, now),
    text: input.text?.toLowerCase() ?? null,
  };
}

export function toEventFilter(sandbox: Sandbox, input: InputOf<typeof EventFilterSchema>): EventFilter {
  const workspace = findWorkspace(sandbox, input.workspace_id);
  const now = (workspace ?? sandbox.workspaces.default).clock.now();
  return {
    workspaceSeq: workspace?.seq ?? null,
    type: input.type ?? null,
    ...toPeriod(input, now),
    text: input.text?.toLowerCase() ?? null,
  };
}

export function toAttemptFilter(sandbox: Sandbox, input: InputOf<typeof AttemptFilterSchema>): AttemptFilter {
  const { store } = sandbox;
  const { webhook_id: webhookId = null, delivery_id: deliveryId = null } = input;
  if (webhookId !== null && !store.webhooks.findPlace(webhookId)) throw notFound('webhook', webhookId);
  if (deliveryId !== null && !store.deliveryView.find(deliveryId)) throw notFound('delivery', deliveryId);
  const workspaceSeq = findWorkspace(sandbox, input.workspace_id)?.seq ?? null;
  return { workspaceSeq, webhookId, deliveryId, since: findMoment(input.since, sandbox.wall.now()) };
}

export function toRequestFilter(
  sandbox: Sandbox,
  input: InputOf<typeof RequestFilterSchema>,
): ApiRequestFilter {
  return {
    workspaceSeq: findWorkspace(sandbox, input.workspace_id)?.seq ?? null,
    method: input.method ?? null,
    path: input.path ?? null,
    status: input.status ?? null,
    apiKeyId: input.api_key_id ?? null,
    requestId: input.request_id ?? null,
    resourceId: input.resource_id ?? null,
    minDurationMs: input.min_duration_ms ?? null,
    since: findMoment(input.since, sandbox.wall.now()),
  };
}

/** The workspace of an optional id. @throws SvcError `not_found`. */
export function findWorkspace(sandbox: Sandbox, id: string | null | undefined): LiveWorkspace | null {
  if (id === null || id === undefined) return null;
  const workspace = sandbox.workspaces.find(id);
  if (workspace === undefined) throw notFound('workspace', id);
  return workspace;
}

function toPeriod({ since, until }: { since?: string | undefined; until?: string | undefined }, now: number) {
  return { since: findMoment(since, now), until: findMoment(until, now) };
}

function findMoment(text: string | undefined, now: number): number | null {
  return text === undefined ? null : toMoment(text, now);
}
