import type { Scope } from '../../../domain/environment.ts';

/** What a scope allows (§4 and §5, decision `key.scopes`). */
export const scopeDescriptions: Readonly<Record<Scope, string>> = {
  'events:read': 'read events',
  'events:write': 'create events',
  'webhooks:manage': 'manage endpoints',
  'workspaces:read': 'read workspaces',
};
