/** The environments of the service and the permissions of its API keys (§1, §5). */

export const environments = ['sandbox', 'production'] as const;
/** The two isolated environments of the service (§1). */
export type Environment = (typeof environments)[number];

export const scopes = ['events:read', 'events:write', 'webhooks:manage', 'workspaces:read'] as const;
/** A permission of an API key (§5, gap `key.scopes`). */
export type Scope = (typeof scopes)[number];
