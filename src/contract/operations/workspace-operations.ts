/** Workspaces and the keys to them. */
import * as v from 'valibot';
import { idOf, Name } from '../fields.ts';
import { PageFields, WorkspaceFilter } from '../list-filters.ts';
import { defineOperations } from '../operation.ts';
import { ApiKey, CreatedApiKey, pageOf, ScopeName, Workspace } from '../resources.ts';

export const workspaceOperations = defineOperations({
  listWorkspaces: {
    method: 'GET',
    path: '/workspaces',
    summary: 'List workspaces, newest first',
    input: v.strictObject(PageFields),
    output: pageOf(Workspace),
    status: 200,
  },
  createWorkspace: {
    method: 'POST',
    path: '/workspaces',
    summary: 'Create a workspace',
    input: v.strictObject({ name: Name }),
    output: Workspace,
    status: 201,
  },
  getWorkspace: {
    method: 'GET',
    path: '/workspaces/{id}',
    summary: 'Retrieve a workspace',
    input: v.strictObject({ id: v.string() }),
    output: Workspace,
    status: 200,
  },
  listKeys: {
    method: 'GET',
    path: '/keys',
    summary: 'List API keys, newest first',
    input: v.strictObject({ ...PageFields, ...WorkspaceFilter }),
    output: pageOf(ApiKey),
    status: 200,
  },
  createKey: {
    method: 'POST',
    path: '/keys',
    summary:
      'Create an API key, restricted to scopes and, if named, to one workspace; the key is shown this once',
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
    summary: 'Revoke an API key',
    input: v.strictObject({ id: v.string() }),
    output: ApiKey,
    status: 200,
  },
});
