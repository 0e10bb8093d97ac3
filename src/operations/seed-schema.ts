/** The schema of a seed: the initial state of a new database. */

import * as v from 'valibot';
import { keyPrefixes, scopes } from '../domain/credentials.ts';
import { SvcError } from '../domain/errors.ts';
import { newEndpointFields } from '../resources/endpoint.ts';
import { eventSettings, newEventFields } from '../resources/event.ts';
import { SeedFault } from '../resources/fault.ts';
import { newKeyFields } from '../resources/key.ts';
import { type Problem, parse } from '../resources/validate.ts';
import { Speed } from '../resources/value-schemas.ts';
import { idOf, Name, ScheduleTime, Secret } from '../resources/values.ts';
import {
  createEventTypeSchema,
  createWebhookFields,
  type PublicOperationOptions,
} from './public-operations.ts';

/** The schema of a seed. The gaps apply to it as to the API, for example those about event types. */
export function createSeedSchema(options: PublicOperationOptions) {
  const prefix = keyPrefixes[options.environment];
  const Key = v.strictObject({
    ...newKeyFields,
    key: v.pipe(
      v.string(),
      v.regex(
        new RegExp(`^${prefix}[\\w-]{4,200}$`),
        `must be ${prefix} and 4 to 200 letters, digits, - and _ in this environment`,
      ),
    ),
    scopes: v.optional(newKeyFields.scopes, [...scopes]),
  });
  const Webhook = v.strictObject({
    id: v.optional(idOf('webhook')),
    ...newEndpointFields,
    ...createWebhookFields(options),
    secret: v.optional(Secret),
  });
  const Event = v.strictObject({
    id: v.optional(idOf('event')),
    type: createEventTypeSchema(options),
    payload: v.optional(newEventFields.payload),
    ...eventSettings,
  });
  const Workspace = v.strictObject({
    id: v.optional(idOf('workspace')),
    name: Name,
    clock: v.optional(
      v.strictObject({
        now: v.optional(ScheduleTime),
        speed: v.optional(Speed),
        frozen: v.optional(v.boolean()),
      }),
    ),
    keys: v.optional(v.array(Key), []),
    webhooks: v.optional(v.array(Webhook), []),
    events: v.optional(v.array(Event), []),
    faults: v.optional(v.array(SeedFault), []),
  });
  return v.strictObject({
    /** The first one is the default workspace. */
    workspaces: v.pipe(v.array(Workspace), v.minLength(1, 'must have at least one workspace')),
    /** Keys that are valid for all workspaces. */
    keys: v.optional(v.array(Key), []),
    /** Faults in all workspaces. */
    faults: v.optional(v.array(SeedFault), []),
  });
}

type SeedSchema = ReturnType<typeof createSeedSchema>;
/** A seed as the user writes it. */
export type Seed = v.InferInput<SeedSchema>;
/** A seed after validation, with its defaults. */
export type ValidatedSeed = v.InferOutput<SeedSchema>;

/**
 * Validates a seed.
 * @param name name of the seed in messages, for example a file.
 * @throws SvcError `validation_failed` with the path of the first problem.
 */
export function parseSeed(seed: unknown, name: string, options: PublicOperationOptions): ValidatedSeed {
  const toError = ({ path, problem }: Problem) =>
    new SvcError('validation_failed', `${name}: ${path || 'it'} ${problem}.`, {
      hint: 'See docs/state.md for the format of a seed.',
    });
  const validated = parse(createSeedSchema(options), seed, toError);
  const [conflict] = [...listDuplicates(validated), ...listUnknownWebhooks(validated)];
  if (conflict !== undefined) throw toError(conflict);
  return validated;
}

function listUnknownWebhooks({ workspaces, faults }: ValidatedSeed): Problem[] {
  const listUnknown = (list: ValidatedSeed['faults'], ids: readonly (string | undefined)[], path: string) =>
    list.flatMap(({ webhook_id: id }, index) =>
      id === undefined || ids.includes(id)
        ? []
        : [
            {
              path: `${path}faults[${index}].webhook_id`,
              problem: 'must be the ID of an endpoint in the same part of the seed',
            },
          ],
    );
  const idsOf = ({ webhooks }: ValidatedSeed['workspaces'][number]) => webhooks.map(({ id }) => id);
  return [
    ...workspaces.flatMap((workspace, index) =>
      listUnknown(workspace.faults, idsOf(workspace), `workspaces[${index}].`),
    ),
    ...listUnknown(faults, workspaces.flatMap(idsOf), ''),
  ];
}

function listDuplicates({ workspaces, keys }: ValidatedSeed): Problem[] {
  const listKeys = (list: ValidatedSeed['keys'], path: string) =>
    list.map(({ key }, index) => ({ path: `${path}keys[${index}].key`, value: key }));
  const listIds = (list: readonly { id?: string | undefined }[], path: string) =>
    list.map(({ id }, index) => ({ path: `${path}[${index}].id`, value: id }));
  const entries = [
    ...workspaces.flatMap((workspace, index) => [
      ...listKeys(workspace.keys, `workspaces[${index}].`),
      ...listIds(workspace.webhooks, `workspaces[${index}].webhooks`),
      ...listIds(workspace.events, `workspaces[${index}].events`),
    ]),
    ...listIds(workspaces, 'workspaces'),
    ...listKeys(keys, ''),
  ];
  const values = new Set<string>();
  return entries.flatMap(({ path, value }) => {
    if (value === undefined) return [];
    if (values.has(value)) return [{ path, problem: 'occurs twice' }];
    values.add(value);
    return [];
  });
}
