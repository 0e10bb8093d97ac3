/** Operations for endpoints. */
import * as v from 'valibot';
import { DAY_MS } from '../../domain/duration.ts';
import { WILDCARD_SUBSCRIPTION } from '../../domain/event.ts';
import { ExtraHeaders, idOf, Secret } from '../fields.ts';
import { PageFields, WorkspaceFilter } from '../list-filters.ts';
import { defineOperations, wholeNumber } from '../operation.ts';
import { pageOf, WebhookDetail, WebhookProbe, WebhookWithSecret } from '../resources.ts';

/** A year: longer than any change of a secret takes. */
const MAX_OVERLAP_MS = 365 * DAY_MS;

export const webhookOperations = defineOperations({
  listWebhooks: {
    method: 'GET',
    path: '/webhooks',
    input: v.strictObject({ ...PageFields, ...WorkspaceFilter }),
    output: pageOf(WebhookDetail),
    status: 200,
  },
  createWebhook: {
    method: 'POST',
    path: '/webhooks',
    input: v.strictObject({
      ...WorkspaceFilter,
      url: v.string(),
      events: v.optional(v.array(v.string()), [WILDCARD_SUBSCRIPTION]),
      headers: v.optional(ExtraHeaders, {}),
      skip_verify: v.optional(v.boolean(), false),
      secret: v.optional(Secret),
      listener: v.optional(v.boolean(), false),
      /** A listener is reused only after its last stream has ended. */
      reuse: v.optional(v.boolean(), false),
    }),
    output: WebhookWithSecret,
    status: 201,
    errors: ['validation_failed'],
  },
  getWebhook: {
    method: 'GET',
    path: '/webhooks/{id}',
    input: v.strictObject({ id: v.string() }),
    output: WebhookDetail,
    status: 200,
  },
  updateWebhook: {
    method: 'PATCH',
    path: '/webhooks/{id}',
    input: v.strictObject({
      id: v.string(),
      url: v.optional(v.string()),
      events: v.optional(v.array(v.string())),
      disabled: v.optional(v.boolean()),
      headers: v.optional(ExtraHeaders),
      skip_verify: v.optional(v.boolean()),
    }),
    output: WebhookDetail,
    status: 200,
    errors: ['validation_failed'],
  },
  deleteWebhook: {
    method: 'DELETE',
    path: '/webhooks/{id}',
    input: v.strictObject({ id: v.string() }),
    output: v.object({ id: idOf('webhook'), deleted: v.literal(true), canceled_deliveries: v.number() }),
    status: 200,
  },
  rotateWebhookSecret: {
    method: 'POST',
    path: '/webhooks/{id}/rotate-secret',
    input: v.strictObject({
      id: v.string(),
      overlap_ms: v.optional(wholeNumber(0, MAX_OVERLAP_MS)),
    }),
    output: WebhookWithSecret,
    status: 200,
  },
  revealSecret: {
    method: 'POST',
    path: '/webhooks/{id}/reveal-secret',
    input: v.strictObject({ id: v.string() }),
    output: v.object({ secret: v.string(), previous_secret: v.nullable(v.string()) }),
    status: 200,
  },
  probeWebhook: {
    method: 'POST',
    path: '/webhooks/{id}/probe',
    input: v.strictObject({
      id: v.string(),
      send: v.optional(v.boolean(), true),
    }),
    output: WebhookProbe,
    status: 200,
  },
});
