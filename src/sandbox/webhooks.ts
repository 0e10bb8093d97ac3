/** Endpoints (§2, §6) and what becomes of their deliveries when they change. */
import type { CreatedWebhook, WebhookDetail, WebhookWithSecret } from '../contract/resources.ts';
import { LAST_TIME } from '../domain/clock.ts';
import { toWebhook, toWebhookDetail, type WebhookRow, type WebhookWithWorkspace } from '../store/webhooks.ts';
import { notFound } from './access.ts';
import type { Sandbox } from './sandbox.ts';
import type { LoadedWorkspace } from './workspace-registry.ts';

export interface NewWebhook {
  readonly workspace: LoadedWorkspace;
  readonly url: string;
  readonly events: readonly string[];
  /** The id and the secret where they are already known; otherwise they are made. */
  readonly id?: string | undefined;
  readonly secret?: string | undefined;
  /** Carried by each delivery beside those of §6. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly disabled?: boolean | undefined;
  /** Take any TLS certificate. */
  readonly skipVerify?: boolean | undefined;
  /** There only for as long as somebody listens, see `listeners.ts`. */
  readonly listener?: boolean | undefined;
}

/** Writes an endpoint. The answer carries the secret, this once (§2). Inside a write. */
export function createWebhook(sandbox: Sandbox, input: NewWebhook): CreatedWebhook {
  const row = insertWebhook(sandbox, input);
  const { id, workspace_id, url, events, created_at } = toWebhook(row);
  return { id, workspace_id, url, events, secret: row.secret, created_at };
}

/**
 * Writes an endpoint as the control plane does. A program that receives has one secret for one address, so a new
 * endpoint has the secret of the last one with that address, unless another is given. Where `mayGoOn` says so of an
 * earlier one, deleted or not, it goes on itself: with its id, its secret, its deliveries, and what else is given now.
 * Inside a write.
 */
export function registerWebhook(
  sandbox: Sandbox,
  input: NewWebhook,
  canReuse: (former: WebhookRow) => boolean,
): WebhookWithWorkspace {
  const former = sandbox.store.webhooks.listByUrl(input.workspace.seq, input.url);
  const known = former.find(canReuse);
  if (known) return reuseWebhook(sandbox, known, input);
  return insertWebhook(sandbox, { ...input, secret: input.secret ?? former[0]?.secret });
}

/** Whether an endpoint is there, and stays whether somebody listens or not. */
export function isPermanent({ listener, deleted_at: deletedAt }: WebhookRow): boolean {
  return listener === 0 && deletedAt === null;
}

function reuseWebhook(
  { store }: Sandbox,
  known: WebhookWithWorkspace,
  input: NewWebhook,
): WebhookWithWorkspace {
  const row = { ...applyChange(known, { disabled: false, ...input }), deleted_at: null };
  store.webhooks.update(row);
  return row;
}

function insertWebhook(sandbox: Sandbox, input: NewWebhook): WebhookWithWorkspace {
  const { store } = sandbox;
  const { workspace } = input;
  const createdAt = workspace.clock.now();
  const row: WebhookWithWorkspace = {
    seq: store.nextSeq(),
    id: input.id ?? workspace.ids.next('webhook', createdAt),
    workspace_seq: workspace.seq,
    workspace_id: workspace.id,
    url: input.url,
    events: JSON.stringify(input.events),
    secret: input.secret ?? sandbox.generator.webhookSecret(sandbox.rules.signature.key),
    previous_secret: null,
    previous_secret_expires_at: null,
    disabled: input.disabled ? 1 : 0,
    headers: JSON.stringify(input.headers ?? {}),
    skip_verify: input.skipVerify ? 1 : 0,
    listener: input.listener ? 1 : 0,
    created_at: createdAt,
    deleted_at: null,
  };
  store.webhooks.insert(row);
  return row;
}

export interface WebhookChange {
  readonly url?: string | undefined;
  readonly events?: readonly string[] | undefined;
  readonly disabled?: boolean | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly skipVerify?: boolean | undefined;
}

/**
 * Changes an endpoint. Pending deliveries go to the new address; while it is disabled they wait, and events that
 * happen meanwhile are not for it. Inside a write.
 */
export function updateWebhook(sandbox: Sandbox, id: string, change: WebhookChange): WebhookDetail {
  const changed = applyChange(getWebhookRow(sandbox, id), change);
  sandbox.store.webhooks.update(changed);
  return toWebhookDetail(changed);
}

function applyChange(row: WebhookWithWorkspace, change: WebhookChange): WebhookWithWorkspace {
  return {
    ...row,
    url: change.url ?? row.url,
    events: change.events === undefined ? row.events : JSON.stringify(change.events),
    disabled: toFlag(change.disabled) ?? row.disabled,
    headers: change.headers === undefined ? row.headers : JSON.stringify(change.headers),
    skip_verify: toFlag(change.skipVerify) ?? row.skip_verify,
  };
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
    secret: sandbox.generator.webhookSecret(sandbox.rules.signature.key),
    previous_secret: row.secret,
    previous_secret_expires_at: overlapMs > 0 ? Math.min(now + overlapMs, LAST_TIME) : null,
  };
  sandbox.store.webhooks.update(rotated);
  return { ...toWebhookDetail(rotated), secret: rotated.secret };
}

/** Deletes an endpoint, and tells who sends. @returns how many pending deliveries were canceled. */
export async function removeWebhook(sandbox: Sandbox, id: string): Promise<number> {
  const { seq } = getWebhookRow(sandbox, id);
  const canceled = await sandbox.store.write(() => deleteWebhook(sandbox, id));
  sandbox.bus.publish({ type: 'canceled', webhookSeq: seq });
  return canceled;
}

/** The row of an endpoint. @throws SvcError `not_found`. */
export function getWebhookRow({ store }: Sandbox, id: string) {
  const row = store.webhooks.find(id);
  if (row === undefined) throw notFound('webhook', id);
  return row;
}

function toFlag(value: boolean | undefined): 0 | 1 | undefined {
  return value === undefined ? undefined : value ? 1 : 0;
}
