/** The handlers of the operations on endpoints. */
import * as v from 'valibot';
import { DAY_MS } from '../../domain/duration.ts';
import { toForwardUrl } from '../../domain/webhook-url.ts';
import type { ControlHandlers } from '../../operations/control-plane.ts';
import { createEventTypeSchema, createWebhookFields } from '../../operations/public-operations.ts';
import { assertLocalHost } from '../../platform/address-policy.ts';
import { assertNotEmulator } from '../../platform/own-addresses.ts';
import { validate } from '../../resources/validate.ts';
import { toDelivery } from '../../store/delivery-queries.ts';
import { toListBody, toPageRequest } from '../../store/row-page.ts';
import { toWebhookDetail, type WebhookRow } from '../../store/webhooks.ts';
import type { Sender } from '../deliveries/sender.ts';
import { createNotFoundError } from '../service/access.ts';
import { createEvent } from '../service/events.ts';
import type { ListenerEndpointCleanup } from '../service/listener-endpoint-cleanup.ts';
import type { Sandbox } from '../service/sandbox.ts';
import {
  findEquivalentWebhook,
  getWebhookRow,
  isPermanent,
  registerWebhook,
  removeWebhook,
  rotateWebhookSecret,
  updateWebhook,
  validateEndpoint,
} from '../service/webhooks.ts';
import { findWorkspace } from './to-condition.ts';

/** Schedule time for which deliveries are also signed with the previous secret after a rotation. */
const DEFAULT_OVERLAP_MS = DAY_MS;

export function createWebhookHandlers(
  sandbox: Sandbox,
  listenerCleanup: ListenerEndpointCleanup,
  sender: Sender,
) {
  const { store, bus, rules } = sandbox;
  // The same validation as in `/v1`.
  const NewEndpointSchema = v.object(createWebhookFields(sandbox));
  const EndpointChangeSchema = v.partial(NewEndpointSchema);
  const TestEventSchema = v.object({ type: createEventTypeSchema(sandbox) });
  async function assertUsable(url: string): Promise<void> {
    assertNotEmulator(url);
    await assertLocalHost('url', url, rules.webhookUrl);
  }
  return {
    listWebhooks: async (input) => {
      const workspace = findWorkspace(sandbox, input.workspace_id);
      const pageRequest = toPageRequest(input, (id) => store.webhooks.findSeq(id));
      return toListBody(store.webhooks.list(workspace?.seq ?? null, pageRequest), toWebhookDetail);
    },
    createWebhook: async ({ workspace_id, reuse, ...others }) => {
      const input = { ...others, url: completeUrl(others.url) };
      const workspace = findWorkspace(sandbox, workspace_id) ?? sandbox.workspaces.default;
      validateEndpoint(NewEndpointSchema, input, rules);
      await assertUsable(input.url);
      const isInUse = (row: WebhookRow) =>
        listenerCleanup.isHeld(row) || (input.listener === true && isPermanent(row));
      const equivalent = reuse && findEquivalentWebhook(sandbox, { ...input, workspace }, isInUse);
      if (equivalent) {
        const shared = equivalent.listener === 1 ? ({ shared: true } as const) : {};
        return { ...toWebhookDetail(equivalent), secret: equivalent.secret, ...shared };
      }
      const canReuse = (existing: WebhookRow) =>
        reuse &&
        (input.listener
          ? existing.listener === 1 && !listenerCleanup.isHeld(existing)
          : isPermanent(existing));
      const row = await store.write(() => registerWebhook(sandbox, { ...input, workspace }, canReuse));
      if (row.listener === 1) listenerCleanup.startGracePeriod(row.id);
      bus.publish({ type: 'schedule_changed' });
      return { ...toWebhookDetail(row), secret: row.secret };
    },
    getWebhook: async ({ id }) => {
      const row = getWebhookRow(sandbox, id);
      const { last_failure_seq: _, ...statistics } = store.attempts.summarizeNewest(row.seq);
      return { ...toWebhookDetail(row), statistics };
    },
    updateWebhook: async ({ id, ...others }) => {
      const change = { ...others, ...(others.url !== undefined && { url: completeUrl(others.url) }) };
      const { url, headers } = getWebhookRow(sandbox, id);
      validateEndpoint(EndpointChangeSchema, change, rules, { url, headers: JSON.parse(headers) });
      if (change.url !== undefined) await assertUsable(change.url);
      const webhook = await store.write(() => updateWebhook(sandbox, id, change));
      bus.publish({ type: 'schedule_changed' });
      return webhook;
    },
    deleteWebhook: async ({ id }) => ({
      id,
      deleted: true,
      canceled_deliveries: await removeWebhook(sandbox, id),
    }),
    rotateWebhookSecret: ({ id, overlap_ms }) =>
      store.write(() => rotateWebhookSecret(sandbox, id, overlap_ms ?? DEFAULT_OVERLAP_MS)),
    revealSecret: async ({ id }) => {
      const { secret, previous_secret } = getWebhookRow(sandbox, id);
      return { secret, previous_secret };
    },
    connectWebhook: async ({ id }) => {
      const { url, skip_verify } = getWebhookRow(sandbox, id);
      const connection = await sender.connect({ url, insecureTls: skip_verify === 1 });
      const { outcome, error, durationMs, address, certificate } = connection;
      return {
        webhook_id: id,
        url,
        outcome,
        error,
        duration_ms: durationMs,
        address,
        certificate: certificate && {
          issuer: certificate.issuer,
          valid_to: new Date(certificate.validTo).toISOString(),
        },
      };
    },
    sendTestEvent: async ({ id, type, payload_text: payload }) => {
      validate(TestEventSchema, { type }, 'validation_failed');
      const webhook = getWebhookRow(sandbox, id);
      const workspace = sandbox.workspaces.get(webhook.workspace_seq);
      const event = { workspace, type, payload, webhooks: [webhook] };
      const { id: eventId, eventsToPublish } = await store.write(() => createEvent(sandbox, event));
      for (const each of eventsToPublish) bus.publish(each);
      const [delivery] = store.deliveryQueries.list(
        { event_id: eventId },
        { limit: 1, beforeSeq: null },
      ).rows;
      if (delivery === undefined) throw createNotFoundError('event', eventId);
      return toDelivery(delivery);
    },
  } satisfies Partial<ControlHandlers>;
}

/** `localhost:3000` gets a scheme. The validation explains any other text. */
export function completeUrl(text: string): string {
  return toForwardUrl(text) ?? text;
}
