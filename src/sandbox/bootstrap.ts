/** What a sandbox has from its first boot: a workspace, a key that may do everything in it, and an endpoint if asked for. */
import type { ValidatedSeed } from '../contract/seed-schema.ts';
import { validate } from '../contract/validate.ts';
import { scopes } from '../domain/environment.ts';
import type { ForwardTarget } from '../domain/forward-url.ts';
import { SvcError } from '../errors.ts';
import { createApiKey } from './api-keys.ts';
import { persistClock } from './clock-persistence.ts';
import type { Sandbox } from './sandbox.ts';
import { applySeed, findDefaultKey } from './seed.ts';
import { isPermanent, registerWebhook } from './webhooks.ts';
import type { LoadedWorkspace } from './workspace-registry.ts';
import { createWorkspace } from './workspaces.ts';

const DEFAULT_WORKSPACE_NAME = 'Default workspace';

export interface BootstrapOptions {
  /** The key of an earlier boot; it goes on if it still holds. */
  readonly knownKey: string | null;
  /** Makes that key one of the store where it is not known there. */
  readonly adoptKey?: boolean;
  /** What a store without a workspace begins with; another store is left as it is. */
  readonly seed?: ValidatedSeed | null | undefined;
  readonly forwardTo?: ForwardTarget | null | undefined;
  /** Sets the clock of the default workspace; without it, it goes on as the store has it. */
  readonly clock?: { readonly speed?: number; readonly frozen?: boolean } | undefined;
}

export interface BootstrapResult {
  readonly workspace: LoadedWorkspace;
  readonly apiKey: string;
  /** Whether the seed was applied. */
  readonly seeded: boolean;
  readonly webhook: { readonly id: string; readonly secret: string } | null;
}

/**
 * @throws SvcError `database_unusable` when the store belongs to the other environment (§1: data is not shared);
 *   `validation_failed` for an endpoint that the rules do not accept.
 */
export function bootstrap(sandbox: Sandbox, options: BootstrapOptions): BootstrapResult {
  const { seed, forwardTo, clock } = options;
  const { store, workspaces } = sandbox;
  return store.writeNow(() => {
    assertStoreEnvironment(sandbox);
    const isNew = store.workspaces.findOldest() === undefined;
    const seeded = isNew && seed ? seed : null;
    if (seeded) applySeed(sandbox, seeded);
    else if (isNew) createWorkspace(sandbox, { name: DEFAULT_WORKSPACE_NAME });
    const workspace = workspaces.default;
    if (clock !== undefined) workspace.clock.set(clock);
    persistClock(sandbox, workspace);
    const knownKey = (seeded && findDefaultKey(seeded)) ?? options.knownKey;
    const apiKey = ensureKey(sandbox, workspace, { ...options, knownKey });
    const webhook = forwardTo ? registerForwardTarget(sandbox, workspace, forwardTo) : null;
    return { workspace, apiKey, seeded: seeded !== null, webhook };
  });
}

function assertStoreEnvironment({ store, environment }: Sandbox): void {
  const owner = store.settings.find('environment');
  if (owner === undefined) store.settings.set('environment', environment);
  else if (owner !== environment) {
    throw new SvcError(
      'database_unusable',
      `The database belongs to the ${owner} environment, not to ${environment}.`,
      {
        hint: 'Name another file with --db: the two environments share no data.',
      },
    );
  }
}

function ensureKey(
  sandbox: Sandbox,
  workspace: LoadedWorkspace,
  { knownKey, adoptKey = false }: BootstrapOptions,
): string {
  const known = knownKey === null ? undefined : sandbox.store.apiKeys.findByKey(knownKey);
  if (knownKey !== null && known?.revoked_at === null) return knownKey;
  const canAdopt = adoptKey && knownKey !== null && known === undefined;
  return createApiKey(sandbox, { scopes, workspace, ...(canAdopt && { key: knownKey }) }).key;
}

/**
 * The endpoint of an address, by the rules of `POST /webhooks`; that of an earlier boot goes on with its secret, and
 * takes deliveries again if it was disabled meanwhile: who names it wants them.
 */
function registerForwardTarget(sandbox: Sandbox, workspace: LoadedWorkspace, target: ForwardTarget) {
  const input = { workspace_id: workspace.id, url: target.url, events: target.events };
  validate(sandbox.operations.createWebhook.input, input, 'validation_failed');
  return registerWebhook(sandbox, { workspace, ...target }, isPermanent);
}
