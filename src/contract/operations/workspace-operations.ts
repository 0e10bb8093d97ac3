/** Operations for workspaces and API keys. */
import * as v from 'valibot';
import { idOf, Name } from '../fields.ts';
import { PageFields, WorkspaceFilter } from '../list-filters.ts';
import { defineOperations } from '../operation.ts';
import { ApiKey, CreatedApiKey, pageOf, ScopeName, Workspace } from '../resources.ts';

export const workspaceOperations = defineOperations({
  listWorkspaces: {
    method: 'GET',
    path: '/workspaces',
    input: v.strictObject(PageFields),
    output: pageOf(Workspace),
    status: 200,
  },
  createWorkspace: {
    method: 'POST',
    path: '/workspaces',
    input: v.strictObject({ name: Name }),
    output: Workspace,
    status: 201,
  },
  getWorkspace: {
    method: 'GET',
    path: '/workspaces/{id}',
    input: v.strictObject({ id: v.string() }),
    output: Workspace,
    status: 200,
  },
  listKeys: {
    method: 'GET',
    path: '/keys',
    input: v.strictObject({ ...PageFields, ...WorkspaceFilter }),
    output: pageOf(ApiKey),
    status: 200,
  },
  createKey: {
    method: 'POST',
    path: '/keys',
    input: v.strictObject({
      scopes: v.pipe(v.array(ScopeName), v.minLength(1)),
      workspace_id: v.optional(v.nullable(idOf('workspace'))),
    }),
    output: CreatedApiKey,
    status: 201,
  },
  revokeKey: {
    method: 'POST',
    path: '/keys/{id}/revoke',
    input: v.strictObject({ id: v.string() }),
    output: ApiKey,
    status: 200,
  },
});
