import type { ValidatedSeed } from '../contract/seed-schema.ts';
import { scopes } from '../domain/environment.ts';
import { createApiKey } from './api-keys.ts';
import { createEvent } from './events.ts';
import type { Sandbox } from './sandbox.ts';
import { createWebhook } from './webhooks.ts';
import { insertWorkspace } from './workspaces.ts';

type SeedWorkspace = ValidatedSeed['workspaces'][number];

/** Writes what a seed lists; its events will be delivered as those that are sent to the API are. Inside a write. */
export function applySeed(sandbox: Sandbox, { workspaces, keys, faults }: ValidatedSeed): void {
  for (const workspace of workspaces) seedWorkspace(sandbox, workspace);
  for (const { key, scopes: granted } of keys)
    createApiKey(sandbox, { scopes: granted, workspace: null, key });
  for (const fault of faults) sandbox.faults.insert(fault);
}

function seedWorkspace(sandbox: Sandbox, seeded: SeedWorkspace): void {
  const { seq } = insertWorkspace(sandbox, seeded);
  const workspace = sandbox.workspaces.get(seq);
  for (const { key, scopes: granted } of seeded.keys)
    createApiKey(sandbox, { scopes: granted, workspace, key });
  for (const { skip_verify: skipVerify, ...webhook } of seeded.webhooks) {
    createWebhook(sandbox, { ...webhook, workspace, skipVerify });
  }
  for (const { payload = {}, ...event } of seeded.events) {
    createEvent(sandbox, { ...event, workspace, payload: JSON.stringify(payload) });
  }
  for (const fault of seeded.faults) sandbox.faults.insert({ ...fault, workspace_id: workspace.id });
}

/** The key of a seed that may do everything in its first workspace: as good as the one that is made otherwise. */
export function findDefaultKey({ workspaces, keys }: ValidatedSeed): string | null {
  const candidates = [...(workspaces[0]?.keys ?? []), ...keys];
  return candidates.find((key) => scopes.every((scope) => key.scopes.includes(scope)))?.key ?? null;
}
