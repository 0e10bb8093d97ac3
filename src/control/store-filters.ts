/** Converts filters of the control plane to those of the store: checks IDs and parses times. */
import type * as v from 'valibot';
import type {
  AttemptFilter as AttemptFilterSchema,
  DeliveryFilter as DeliveryFilterSchema,
  EventFilter as EventFilterSchema,
  RequestFilter as RequestFilterSchema,
} from '../contract/list-filters.ts';
import { parseRelativeTime } from '../domain/duration.ts';
import { type ResponseFilter, toStatusRange } from '../domain/status-filter.ts';
import { createNotFoundError } from '../sandbox/access.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { LoadedWorkspace } from '../sandbox/workspace-registry.ts';
import type { ApiRequestFilter } from '../store/api-requests.ts';
import type { AttemptFilter } from '../store/attempts.ts';
import type { DeliveryFilter } from '../store/delivery-queries.ts';
import type { EventFilter } from '../store/events.ts';

type FilterInput<Entries extends v.ObjectEntries> = v.InferOutput<v.ObjectSchema<Entries, undefined>>;

/** @throws SvcError `not_found` for a filter by a workspace, event or endpoint that does not exist. */
export function toDeliveryFilter(
  sandbox: Sandbox,
  input: FilterInput<typeof DeliveryFilterSchema>,
): DeliveryFilter {
  const { store } = sandbox;
  const workspace = findWorkspace(sandbox, input.workspace_id);
  const { event_id: eventId = null, webhook_id: webhookId = null } = input;
  if (eventId !== null && !store.events.find(eventId)) throw createNotFoundError('event', eventId);
  if (webhookId !== null && !store.webhooks.findSeq(webhookId))
    throw createNotFoundError('endpoint', webhookId);
  const now = (workspace ?? sandbox.workspaces.default).clock.now();
  const [responseFrom, responseTo] = toOptionalStatusRange(input.response_status);
  return {
    workspaceSeq: workspace?.seq ?? null,
    status: input.status ?? null,
    responseFrom,
    responseTo,
    eventId,
    type: input.type ?? null,
    webhookId,
    ...toTimeRange(input, now),
    text: input.text?.toLowerCase() ?? null,
  };
}

export function toEventFilter(sandbox: Sandbox, input: FilterInput<typeof EventFilterSchema>): EventFilter {
  const workspace = findWorkspace(sandbox, input.workspace_id);
  const now = (workspace ?? sandbox.workspaces.default).clock.now();
  return {
    workspaceSeq: workspace?.seq ?? null,
    type: input.type ?? null,
    ...toTimeRange(input, now),
    text: input.text?.toLowerCase() ?? null,
  };
}

export function toAttemptFilter(
  sandbox: Sandbox,
  input: FilterInput<typeof AttemptFilterSchema>,
): AttemptFilter {
  const { store } = sandbox;
  const { webhook_id: webhookId = null, delivery_id: deliveryId = null } = input;
  if (webhookId !== null && !store.webhooks.findSeq(webhookId))
    throw createNotFoundError('endpoint', webhookId);
  if (deliveryId !== null && !store.deliveryQueries.find(deliveryId))
    throw createNotFoundError('delivery', deliveryId);
  const workspaceSeq = findWorkspace(sandbox, input.workspace_id)?.seq ?? null;
  return {
    workspaceSeq,
    webhookId,
    deliveryId,
    eventId: null,
    isUnresolved: null,
    since: parseOptionalTime(input.since, sandbox.wall.now()),
  };
}

export function toRequestFilter(
  sandbox: Sandbox,
  input: FilterInput<typeof RequestFilterSchema>,
): ApiRequestFilter {
  const [statusFrom, statusTo] = toOptionalStatusRange(input.status);
  return {
    workspaceSeq: findWorkspace(sandbox, input.workspace_id)?.seq ?? null,
    method: input.method ?? null,
    path: input.path ?? null,
    statusFrom,
    statusTo,
    apiKeyId: input.api_key_id ?? null,
    apiKeyName: input.api_key_name ?? null,
    requestId: input.request_id ?? null,
    resourceId: input.resource_id ?? null,
    minDurationMs: input.min_duration_ms ?? null,
    since: parseOptionalTime(input.since, sandbox.wall.now()),
  };
}

/** The workspace of an optional ID. @throws SvcError `not_found`. */
export function findWorkspace(sandbox: Sandbox, id: string | null | undefined): LoadedWorkspace | null {
  if (id === null || id === undefined) return null;
  const workspace = sandbox.workspaces.find(id);
  if (workspace === undefined) throw createNotFoundError('workspace', id);
  return workspace;
}

function toTimeRange(
  { since, until }: { since?: string | undefined; until?: string | undefined },
  now: number,
) {
  return { since: parseOptionalTime(since, now), until: parseOptionalTime(until, now) };
}

function toOptionalStatusRange(filter: ResponseFilter | undefined) {
  return filter === undefined ? [null, null] : toStatusRange(filter);
}

function parseOptionalTime(text: string | undefined, now: number): number | null {
  return text === undefined ? null : parseRelativeTime(text, now);
}
