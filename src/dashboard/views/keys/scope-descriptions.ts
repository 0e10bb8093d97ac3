import type { Scope } from '../../../domain/environment.ts';

/** What a scope lets a key do (§4 and §5 of the service description, decision `key.scopes`). */
export const scopeDescriptions: Readonly<Record<Scope, string>> = {
  'events:read': 'retrieve and list events',
  'events:write': 'create events',
  'webhooks:manage': 'register endpoints',
  'workspaces:read': 'retrieve workspaces',
};
