/** Environments, the keys and tokens that give access to them (§1, §5), and how to show secrets. */
import { DAY_MS } from './duration.ts';

export const environments = ['sandbox', 'production'] as const;
/** The two isolated environments of the service (§1). */
export type Environment = (typeof environments)[number];

export const scopes = ['events:read', 'events:write', 'webhooks:manage', 'workspaces:read'] as const;
/** A permission of an API key (§5, gap `key.scopes`). */
export type Scope = (typeof scopes)[number];

/** Prefix of the API keys of each environment (§5). */
export const keyPrefixes = { sandbox: 'svc_test_', production: 'svc_live_' } as const satisfies Record<
  Environment,
  string
>;
/** Prefix of endpoint secrets. Widely known, so that people and secret scanners recognize it. */
export const SECRET_PREFIX = 'whsec_';

/** Maximum overlap after a rotation of a secret: a year, which is longer than any rotation needs. */
export const MAX_OVERLAP_MS = 365 * DAY_MS;

/** The environment in the prefix of an API key; null if it is not a key of this service. */
export function getApiKeyEnvironment(key: string): Environment | null {
  return environments.find((environment) => key.startsWith(keyPrefixes[environment])) ?? null;
}

/** Only characters that need no escape in a link, a cookie or a header. */
const TOKEN = /^[\w.~-]{16,256}$/;

/** Whether text can be the token of a control plane. The token allows everything, so it must be hard to guess. */
export function isControlToken(text: string): boolean {
  return TOKEN.test(text);
}

const knownPrefixes = [...Object.values(keyPrefixes), SECRET_PREFIX];
/** A shorter secret shows nothing but its prefix: its last characters would be too large a part of it. */
const MIN_LENGTH_TO_SHOW_END = 16;

/** Masks a secret for display: `svc_test_…9fQx`, with its known prefix and its last four characters. */
export function maskSecret(secret: string): string {
  const prefix = knownPrefixes.find((candidate) => secret.startsWith(candidate)) ?? '';
  const end = secret.length >= prefix.length + MIN_LENGTH_TO_SHOW_END ? secret.slice(-4) : '';
  return `${prefix}…${end}`;
}
