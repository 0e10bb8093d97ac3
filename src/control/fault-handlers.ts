/** Faults that are ordered, listed and taken back. */
import { notFound } from '../sandbox/access.ts';
import { toListBody, toPageRequest } from '../sandbox/pagination.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { toFault } from '../store/faults.ts';
import type { ControlHandlers } from './in-process-control-plane.ts';
import { findWorkspace } from './store-filters.ts';

export function createFaultHandlers(
  sandbox: Sandbox,
): Pick<ControlHandlers, 'addFault' | 'listFaults' | 'clearFaults'> {
  const { store, faults } = sandbox;
  return {
    addFault: async (rule) => {
      findWorkspace(sandbox, rule.workspace_id);
      const { webhook_id: webhookId, api_key_id: keyId } = rule;
      if (webhookId && !store.webhooks.findSeq(webhookId)) throw notFound('webhook', webhookId);
      if (keyId && !store.apiKeys.find(keyId)) throw notFound('key', keyId);
      return faults.add(rule);
    },
    listFaults: async (input) => {
      const workspace = findWorkspace(sandbox, input.workspace_id);
      // How often one has fired is written soon, not at once.
      store.flush();
      const request = toPageRequest(input, (id) => store.faults.find(id));
      return toListBody(store.faults.list(workspace?.id ?? null, request), toFault);
    },
    clearFaults: async ({ id, workspace_id: workspaceId }) => {
      const workspace = findWorkspace(sandbox, workspaceId);
      if (id && !store.faults.find(id)) throw notFound('fault', id);
      return { cleared: await faults.clear(id ?? null, workspace?.id ?? null) };
    },
  };
}
