/** Endpoints (§2, §6) and what becomes of their deliveries when they change. */
import type { CreatedWebhook, WebhookDetail, WebhookWithSecret } from '../contract/resources.ts';
import { createWebhookSecret } from '../domain/secret.ts';
import { toWebhook, toWebhookDetail, type WebhookRow } from '../store/webhooks.ts';
import { notFound } from './access.ts';
import type { LiveWorkspace } from './live-workspaces.ts';
import type { Sandbox } from './sandbox.ts';

export interface NewWebhook {
  readonly workspace: LiveWorkspace;
  readonly url: string;
  readonly events: readonly string[];
  /** The secret where it is already known; otherwise one is made. */
  readonly secret?: string;
}

/** Writes an endpoint. The answer carries the secret, this once (§2). Inside a write. */
export function createWebhook(sandbox: Sandbox, input: NewWebhook): CreatedWebhook {
  const { store } = sandbox;
  const { workspace } = input;
  const createdAt = workspace.clock.now();
  const row: WebhookRow = {
    seq: store.nextSeq(),
    id: workspace.ids.next('webhook', createdAt),
    workspace_seq: workspace.seq,
    url: input.url,
    events: JSON.stringify(input.events),
    secret: input.secret ?? createWebhookSecret(sandbox.fill),
    previous_secret: null,
    previous_secret_expires_at: null,
    disabled: 0,
    created_at: createdAt,
    deleted_at: null,
  };
  store.webhooks.insert(row);
  const { id, workspace_id, url, events, created_at } = toWebhook({ ...row, workspace_id: workspace.id });
  return { id, workspace_id, url, events, secret: row.secret, created_at };
}

export interface WebhookChange {
  readonly url?: string | undefined;
  readonly events?: readonly string[] | undefined;
  readonly disabled?: boolean | undefined;
}

/**
 * Changes an endpoint. Pending deliveries go to the new address; while it is disabled they wait, and events that
 * happen meanwhile are not for it. Inside a write.
 */
export function updateWebhook(sandbox: Sandbox, id: string, change: WebhookChange): WebhookDetail {
  const row = getWebhookRow(sandbox, id);
  const changed = {
    ...row,
    url: change.url ?? row.url,
    events: change.events === undefined ? row.events : JSON.stringify(change.events),
    disabled: change.disabled === undefined ? row.disabled : change.disabled ? 1 : 0,
  } as const;
  sandbox.store.webhooks.update(changed);
  return toWebhookDetail(changed);
}

/** Deletes an endpoint and cancels what is pending for it. @returns how many deliveries that were. Inside a write. */
export function deleteWebhook(sandbox: Sandbox, id: string): number {
  const row = getWebhookRow(sandbox, id);
  const now = sandbox.workspaces.get(row.workspace_seq).clock.now();
  sandbox.store.webhooks.update({ ...row, deleted_at: now });
  return sandbox.store.cancelDeliveries(row.seq, now);
}

/**
 * Gives an endpoint a new secret. The old one signs as well for `overlapMs` of schedule time, so that a receiver can
 * change over without losing a delivery (decision `signature.header`). Inside a write.
 */
export function rotateWebhookSecret(sandbox: Sandbox, id: string, overlapMs: number): WebhookWithSecret {
  const row = getWebhookRow(sandbox, id);
  const now = sandbox.workspaces.get(row.workspace_seq).clock.now();
  const rotated = {
    ...row,
    secret: createWebhookSecret(sandbox.fill),
    previous_secret: overlapMs > 0 ? row.secret : null,
    previous_secret_expires_at: overlapMs > 0 ? now + overlapMs : null,
  };
  sandbox.store.webhooks.update(rotated);
  return { ...toWebhookDetail(rotated), secret: rotated.secret };
}

/** The row of an endpoint. @throws SvcError `not_found`. */
export function getWebhookRow({ store }: Sandbox, id: string) {
  const row = store.webhooks.find(id);
  if (row === undefined) throw notFound('webhook', id);
  return row;
}
