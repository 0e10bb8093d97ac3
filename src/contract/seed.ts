/** What a sandbox has from its first boot on, as a person writes it down. */
import * as v from 'valibot';
import { scopes } from '../domain/access.ts';
import { keyPrefixes } from '../domain/secret.ts';
import { SvcError } from '../errors.ts';
import { ExtraHeaders, idOf, JsonObject, Name, Secret, Speed, Timestamp } from './fields.ts';
import { eventType, type PublicApiOptions, subscriptions, webhookUrl } from './public-api.ts';
import { ScopeName } from './resources.ts';
import { listProblems, type Problem } from './validate.ts';

/** The form of a seed, under the rules that the API of the sandbox has. */
function createSeedSchema(options: PublicApiOptions) {
  const prefix = keyPrefixes[options.environment];
  const Key = v.strictObject({
    key: v.pipe(
      v.string(),
      v.regex(
        new RegExp(`^${prefix}[\\w-]{4,200}$`),
        `must be ${prefix} and 4 to 200 letters, digits, - and _ in this environment`,
      ),
    ),
    scopes: v.optional(v.pipe(v.array(ScopeName), v.minLength(1, 'must name at least one scope')), [
      ...scopes,
    ]),
  });
  const Webhook = v.strictObject({
    id: v.optional(idOf('webhook')),
    url: webhookUrl(options.rules),
    events: subscriptions(options),
    secret: v.optional(Secret),
    headers: v.optional(ExtraHeaders),
    skip_verify: v.optional(v.boolean()),
    disabled: v.optional(v.boolean()),
  });
  const Event = v.strictObject({
    id: v.optional(idOf('event')),
    type: eventType(options),
    payload: v.optional(JsonObject),
  });
  const Workspace = v.strictObject({
    id: v.optional(idOf('workspace')),
    name: Name,
    clock: v.optional(
      v.strictObject({
        now: v.optional(Timestamp),
        speed: v.optional(Speed),
        frozen: v.optional(v.boolean()),
      }),
    ),
    keys: v.optional(v.array(Key), []),
    webhooks: v.optional(v.array(Webhook), []),
    events: v.optional(v.array(Event), []),
  });
  return v.strictObject({
    /** The first one is meant where none is named. */
    workspaces: v.pipe(v.array(Workspace), v.minLength(1, 'must have at least one workspace')),
    /** Keys that are for every workspace. */
    keys: v.optional(v.array(Key), []),
  });
}

type SeedSchema = ReturnType<typeof createSeedSchema>;
/** What a seed is written as. */
export type Seed = v.InferInput<SeedSchema>;
/** A seed whose defaults are filled in. */
export type CheckedSeed = v.InferOutput<SeedSchema>;

/**
 * @param name what messages call it, a file for example.
 * @throws SvcError `validation_failed` for the first problem, which it names by its path.
 */
export function parseSeed(seed: unknown, name: string, options: PublicApiOptions): CheckedSeed {
  const schema = createSeedSchema(options);
  const problems = listProblems(schema, seed);
  if (problems.length > 0) throw refuse(problems, name);
  const checked = v.parse(schema, seed);
  const repeated = listRepeated(checked);
  if (repeated.length > 0) throw refuse(repeated, name);
  return checked;
}

function refuse([first, ...others]: readonly Problem[], name: string): SvcError {
  const { path, problem } = first ?? { path: '', problem: 'is wrong' };
  const more = others.slice(0, 5).map((other) => `${other.path} ${other.problem}`);
  return new SvcError('validation_failed', `${name}: ${path || 'it'} ${problem}.`, {
    hint: more.length === 0 ? 'docs/seed.md shows what a seed looks like.' : `Also: ${more.join('; ')}.`,
  });
}

/** Ids and keys are there once. */
function listRepeated({ workspaces, keys }: CheckedSeed): Problem[] {
  const keysOf = (list: CheckedSeed['keys'], path: string) =>
    list.map(({ key }, index) => ({ path: `${path}keys[${index}].key`, value: key }));
  const idsOf = (list: readonly { id?: string | undefined }[], path: string) =>
    list.map(({ id }, index) => ({ path: `${path}[${index}].id`, value: id }));
  const named = [
    ...workspaces.flatMap((workspace, index) => [
      ...keysOf(workspace.keys, `workspaces[${index}].`),
      ...idsOf(workspace.webhooks, `workspaces[${index}].webhooks`),
      ...idsOf(workspace.events, `workspaces[${index}].events`),
    ]),
    ...idsOf(workspaces, 'workspaces'),
    ...keysOf(keys, ''),
  ];
  const seen = new Set<string>();
  return named.flatMap(({ path, value }) => {
    if (value === undefined) return [];
    if (seen.has(value)) return [{ path, problem: 'is there twice' }];
    seen.add(value);
    return [];
  });
}
