/** Creates what every sandbox has after the start: a workspace, an API key with all scopes and, with `--forward-to`, an endpoint. */
import type { ValidatedSeed } from '../contract/seed-schema.ts';
import { validate } from '../contract/validate.ts';
import { scopes } from '../domain/credentials.ts';
import type { ForwardTarget } from '../domain/webhook-url.ts';
import { SvcError } from '../errors.ts';
import { createApiKey } from './api-keys.ts';
import { persistClock } from './clock-persistence.ts';
import { createEvent } from './events.ts';
import type { Sandbox } from './sandbox.ts';
import { createWebhook, isPermanent, registerWebhook } from './webhooks.ts';
import type { LoadedWorkspace } from './workspace-registry.ts';
import { createWorkspace, insertWorkspace } from './workspaces.ts';

const DEFAULT_WORKSPACE_NAME = 'Default workspace';

export interface BootstrapOptions {
  /** Path of the database file, or `:memory:`. */
  readonly db: string;
  /** The key of an earlier start; it is used again unless it was revoked. */
  readonly knownKey: string | null;
  /** Whether that key is added to the store if it does not exist there. */
  readonly canAdoptKey?: boolean;
  /** Initial data for a store without a workspace; ignored for any other store. */
  readonly seed?: ValidatedSeed | null | undefined;
  readonly forwardTo?: ForwardTarget | null | undefined;
  /** Settings for the clock of the default workspace. By default, the clock continues with its stored settings. */
  readonly clock?: { readonly speed?: number; readonly frozen?: boolean } | undefined;
}

export interface BootstrapResult {
  readonly workspace: LoadedWorkspace;
  readonly apiKey: string;
  /** Whether {@link BootstrapOptions.seed} was applied. */
  readonly isSeeded: boolean;
  readonly webhook: { readonly id: string; readonly secret: string } | null;
}

/**
 * Prepares the store for use.
 * @throws SvcError `database_unusable` if the store belongs to the other environment (§1: environments share no data),
 *   `validation_failed` if the rules do not accept the endpoint.
 */
export function bootstrap(sandbox: Sandbox, options: BootstrapOptions): BootstrapResult {
  const { seed, forwardTo, clock } = options;
  const { store, workspaces } = sandbox;
  return store.writeNow(() => {
    assertStoreEnvironment(sandbox, options.db);
    const isNew = store.workspaces.findOldest() === undefined;
    const appliedSeed = isNew && seed ? seed : null;
    if (appliedSeed) applySeed(sandbox, appliedSeed);
    else if (isNew) createWorkspace(sandbox, { name: DEFAULT_WORKSPACE_NAME });
    const workspace = workspaces.default;
    if (clock !== undefined) workspace.clock.set(clock);
    persistClock(sandbox, workspace);
    const knownKey = (appliedSeed && findDefaultKey(appliedSeed)) ?? options.knownKey;
    const apiKey = ensureKey(sandbox, workspace, { ...options, knownKey });
    const webhook = forwardTo ? registerForwardTarget(sandbox, workspace, forwardTo) : null;
    return { workspace, apiKey, isSeeded: appliedSeed !== null, webhook };
  });
}

function assertStoreEnvironment({ store, environment }: Sandbox, db: string): void {
  const owner = store.settings.find('environment');
  if (owner === undefined) store.settings.set('environment', environment);
  else if (owner !== environment) {
    throw new SvcError(
      'database_unusable',
      `${db} belongs to the ${owner} environment, but this emulator runs as ${environment}.`,
      {
        hint: `Choose another file with --db, or start with --environment ${owner}.`,
      },
    );
  }
}

function ensureKey(
  sandbox: Sandbox,
  workspace: LoadedWorkspace,
  { knownKey, canAdoptKey = false }: BootstrapOptions,
): string {
  const row = knownKey === null ? undefined : sandbox.store.apiKeys.findByKey(knownKey);
  if (knownKey !== null && row?.revoked_at === null) return knownKey;
  const canAdopt = canAdoptKey && knownKey !== null && row === undefined;
  return createApiKey(sandbox, { scopes, workspace, ...(canAdopt && { key: knownKey }) }).key;
}

/**
 * Registers the endpoint of `--forward-to` by the rules of `POST /webhooks`. An endpoint of an earlier start with the same
 * URL is reused with its secret, and enabled.
 */
function registerForwardTarget(sandbox: Sandbox, workspace: LoadedWorkspace, target: ForwardTarget) {
  const input = { workspace_id: workspace.id, url: target.url, events: target.events };
  validate(sandbox.operations.createWebhook.input, input, 'validation_failed');
  return registerWebhook(sandbox, { workspace, ...target }, isPermanent);
}

type SeedWorkspace = ValidatedSeed['workspaces'][number];

/** Writes the records of a seed. Its events are delivered like events that are created through the API. Call inside a write. */
function applySeed(sandbox: Sandbox, { workspaces, keys, faults }: ValidatedSeed): void {
  for (const workspace of workspaces) seedWorkspace(sandbox, workspace);
  for (const { key, scopes: keyScopes } of keys)
    createApiKey(sandbox, { scopes: keyScopes, workspace: null, key });
  for (const fault of faults) sandbox.faults.insert(fault);
}

function seedWorkspace(sandbox: Sandbox, seed: SeedWorkspace): void {
  const { seq } = insertWorkspace(sandbox, seed);
  const workspace = sandbox.workspaces.get(seq);
  for (const { key, scopes: keyScopes } of seed.keys)
    createApiKey(sandbox, { scopes: keyScopes, workspace, key });
  for (const { skip_verify: skipVerify, ...webhook } of seed.webhooks) {
    createWebhook(sandbox, { ...webhook, workspace, skipVerify });
  }
  for (const { payload = {}, ...event } of seed.events) {
    createEvent(sandbox, { ...event, workspace, payload: JSON.stringify(payload) });
  }
  for (const fault of seed.faults) sandbox.faults.insert({ ...fault, workspace_id: workspace.id });
}

/** The first key of a seed with all scopes in its first workspace, which replaces the generated default key. */
function findDefaultKey({ workspaces, keys }: ValidatedSeed): string | null {
  const candidates = [...(workspaces[0]?.keys ?? []), ...keys];
  return candidates.find((key) => scopes.every((scope) => key.scopes.includes(scope)))?.key ?? null;
}
