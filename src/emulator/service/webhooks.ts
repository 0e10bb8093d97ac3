/** Creates, changes and deletes endpoints (§2, §6). */
import type * as v from 'valibot';
import { LAST_TIME } from '../../domain/clock.ts';
import { SvcError } from '../../domain/errors.ts';
import { listCommonTypes } from '../../domain/event.ts';
import { formatCount } from '../../domain/message-parts.ts';
import { findWebhookUrlError, isLocalUrl, isSameUrl } from '../../domain/webhook-url.ts';
import type { Rules } from '../../profile/rules.ts';
import {
  type CreatedWebhook,
  type EndpointChange,
  type EndpointSettings,
  endpointSettings,
  type WebhookDetail,
  type WebhookWithSecret,
} from '../../resources/endpoint.ts';
import { validate } from '../../resources/validate.ts';
import { toColumns, toFlag } from '../../store/columns.ts';
import {
  newWebhookColumns,
  toWebhook,
  toWebhookDetail,
  type WebhookRow,
  type WebhookWithWorkspace,
} from '../../store/webhooks.ts';
import { requireRow } from './access.ts';
import type { Sandbox } from './sandbox.ts';
import type { LoadedWorkspace } from './workspace-registry.ts';

export interface NewWebhook
  extends Omit<EndpointChange, 'url' | 'events'>,
    Pick<EndpointSettings, 'url' | 'events'> {
  readonly workspace: LoadedWorkspace;
  /** ID and secret; default: new ones. */
  readonly id?: string | undefined;
  readonly secret?: string | undefined;
  /** Exists only while a `svc listen` uses it, see `listener-endpoint-cleanup.ts`. */
  readonly listener?: boolean | undefined;
  /** The endpoint of `--forward-to`. */
  readonly forward_target?: boolean | undefined;
}

/**
 * Validates an endpoint, or a change of `existing`, by the rules of `POST /webhooks`. `assertLocalHost` resolves the host.
 * @throws SvcError `validation_failed`; for a local URL, its hint names the setting that accepts it
 */
export function validateEndpoint(
  schema: v.GenericSchema,
  endpoint: { readonly url?: string | undefined } & Record<string, unknown>,
  { webhookUrl: rule }: Rules,
  existing: Pick<EndpointChange, 'url' | 'headers'> = {},
): void {
  // Before the schema, whose error of a URL has no hint.
  const urlError = endpoint.url === undefined ? null : findWebhookUrlError('url', endpoint.url, rule);
  if (urlError !== null) throw urlError;
  validate(schema, endpoint, 'validation_failed');
  const { url, headers = {} }: Pick<EndpointChange, 'url' | 'headers'> = { ...existing, ...endpoint };
  const hasHost = Object.keys(headers).some((name) => name.toLowerCase() === 'host');
  if (!hasHost || url === undefined || isLocalUrl(url)) return;
  throw new SvcError(
    'validation_failed',
    `headers cannot have Host, because ${url} is not a local endpoint.`,
    {
      hint: 'Register the URL of the host itself.',
    },
  );
}

/** Writes an endpoint. Only this return value contains the secret (§2). Call inside a store transaction. */
export function createWebhook(sandbox: Sandbox, input: NewWebhook): CreatedWebhook {
  const row = insertWebhook(sandbox, input);
  return { ...toWebhook(row), secret: row.secret };
}

/**
 * Writes an endpoint for the control plane. A receiver has one secret per URL, so a new endpoint gets the secret of the
 * last endpoint with the same URL, unless `input` has one. Call inside a store transaction.
 * @param canReuse whether an earlier endpoint with the same URL, deleted or not, is reused: it keeps its ID, secret and
 *   deliveries and gets the other values of `input`.
 */
export function registerWebhook(
  sandbox: Sandbox,
  input: NewWebhook,
  canReuse: (row: WebhookRow) => boolean,
): WebhookWithWorkspace {
  const earlierRows = sandbox.store.webhooks.listByUrl(input.workspace.seq, input.url);
  const reusableRow = earlierRows.find(canReuse);
  if (reusableRow !== undefined) return reuseWebhook(sandbox, reusableRow, input);
  return insertWebhook(sandbox, { ...input, secret: input.secret ?? earlierRows[0]?.secret });
}

/**
 * Registers the endpoint of `--forward-to`, which keeps its ID and its secret when the URL changes. A permanent endpoint that
 * already has the URL is used instead, and the earlier one is disabled, so that each event arrives once. Call inside a store
 * transaction.
 */
export function registerForwardTarget(sandbox: Sandbox, input: NewWebhook): WebhookWithWorkspace {
  const { webhooks } = sandbox.store;
  const { workspace, url } = input;
  const earlier = webhooks.findForwardTarget(workspace.seq);
  const isUrlTaken = webhooks.listByUrl(workspace.seq, url).some(isPermanent);
  if (earlier !== undefined && !isUrlTaken) return reuseWebhook(sandbox, earlier, input);
  const canReuse = (row: WebhookRow) => isPermanent(row) && (earlier?.url !== url || row.id === earlier.id);
  const webhook = registerWebhook(sandbox, { ...input, forward_target: true }, canReuse);
  if (earlier?.disabled === 0 && earlier.url !== url) updateWebhook(sandbox, earlier.id, { disabled: true });
  return webhook;
}

/** Enables an endpoint, deleted or not, and gives it the values of `input`. @throws as {@link assertBelowLimit}. */
function reuseWebhook(
  sandbox: Sandbox,
  earlier: WebhookWithWorkspace,
  input: NewWebhook,
): WebhookWithWorkspace {
  if (earlier.deleted_at !== null) assertBelowLimit(sandbox, input.workspace);
  const settings = toColumns(endpointSettings, { disabled: false, ...input });
  const row = { ...earlier, ...settings, deleted_at: null };
  sandbox.store.webhooks.update(row);
  return row;
}

/** Whether an endpoint exists and does not depend on a listener. */
export function isPermanent({ listener, deleted_at: deletedAt }: WebhookRow): boolean {
  return listener === 0 && deletedAt === null;
}

/**
 * An enabled endpoint with this URL that receives some of the same events; each of them would arrive twice with a second one.
 * @param isInUse whether an endpoint counts
 */
export function findEquivalentWebhook(
  { store }: Sandbox,
  { workspace, url, events }: Pick<NewWebhook, 'workspace' | 'url' | 'events'>,
  isInUse: (row: WebhookRow) => boolean,
): WebhookWithWorkspace | undefined {
  const row = store.webhooks
    .listEnabled(workspace.seq)
    .find(
      (row) =>
        isInUse(row) && isSameUrl(row.url, url) && listCommonTypes(row.subscriptions, events).length > 0,
    );
  return row && { ...row, workspace_id: workspace.id };
}

/** @throws SvcError `validation_failed` if the workspace has as many endpoints as gap `webhook.limit` allows. */
function assertBelowLimit({ store, rules: { webhookLimit } }: Sandbox, { id, seq }: LoadedWorkspace): void {
  if (store.webhooks.count(seq) < webhookLimit) return;
  const message = `${id} has ${formatCount(webhookLimit, 'endpoint')}, which is the limit of a workspace.`;
  throw new SvcError('validation_failed', message, {
    hint: 'Delete the endpoints that are not used, or set "overrides": {"webhook.limit": 1000} in svc.config.json and restart the emulator.',
  });
}

/** @throws as {@link assertBelowLimit}. */
function insertWebhook(sandbox: Sandbox, input: NewWebhook): WebhookWithWorkspace {
  const { store } = sandbox;
  const { workspace } = input;
  assertBelowLimit(sandbox, workspace);
  const createdAt = workspace.clock.now();
  const row: WebhookWithWorkspace = {
    ...newWebhookColumns,
    seq: store.nextSeq(),
    id: input.id ?? workspace.ids.next('webhook', createdAt),
    workspace_seq: workspace.seq,
    workspace_id: workspace.id,
    ...toColumns(endpointSettings, input),
    secret: input.secret ?? sandbox.generator.webhookSecret(sandbox.rules.signature.key),
    listener: toFlag(input.listener ?? false),
    forward_target: toFlag(input.forward_target ?? false),
    created_at: createdAt,
  };
  store.webhooks.insert(row);
  return row;
}

/**
 * Changes an endpoint. Pending deliveries go to the new URL. While an endpoint is disabled, its pending deliveries wait
 * and new events create no deliveries for it. Call inside a store transaction.
 */
export function updateWebhook(sandbox: Sandbox, id: string, change: EndpointChange): WebhookDetail {
  const row = { ...getWebhookRow(sandbox, id), ...toColumns(endpointSettings, change) };
  sandbox.store.webhooks.update(row);
  return toWebhookDetail(row);
}

/** Deletes an endpoint and cancels its pending deliveries. Call inside a store transaction. @returns the number of canceled deliveries. */
export function deleteWebhook(sandbox: Sandbox, id: string): number {
  const row = getWebhookRow(sandbox, id);
  const now = sandbox.workspaces.get(row.workspace_seq).clock.now();
  sandbox.store.webhooks.update({ ...row, deleted_at: now });
  return sandbox.store.cancelDeliveries(row.seq, now);
}

/**
 * Gives an endpoint a new secret. The old secret signs too for `overlapMs` of schedule time, so that a receiver can switch
 * without rejecting a delivery (gap `signature.header`). Call inside a store transaction.
 */
export function rotateWebhookSecret(sandbox: Sandbox, id: string, overlapMs: number): WebhookWithSecret {
  const row = getWebhookRow(sandbox, id);
  const now = sandbox.workspaces.get(row.workspace_seq).clock.now();
  const newRow = {
    ...row,
    secret: sandbox.generator.webhookSecret(sandbox.rules.signature.key),
    previous_secret: row.secret,
    previous_secret_expires_at: overlapMs > 0 ? Math.min(now + overlapMs, LAST_TIME) : null,
  };
  sandbox.store.webhooks.update(newRow);
  return { ...toWebhookDetail(newRow), secret: newRow.secret };
}

/** Deletes an endpoint and publishes the cancellation. @returns the number of canceled deliveries. */
export async function removeWebhook(sandbox: Sandbox, id: string): Promise<number> {
  const canceled = await sandbox.store.write(() => deleteWebhook(sandbox, id));
  sandbox.bus.publish({ type: 'schedule_changed' });
  return canceled;
}

/** The row of an endpoint. @throws SvcError `not_found`. */
export function getWebhookRow({ store }: Sandbox, id: string) {
  return requireRow(store.webhooks.find(id), 'webhook', id);
}
