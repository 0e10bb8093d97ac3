/** An API key (§5). Its column, the inputs that create it, its option, the seed and the documents follow from this table. */
import * as v from 'valibot';
import { scopes } from '../domain/credentials.ts';
import { defineFields, pickSettable, toRequestFields, toResponseFields } from './define-resource.ts';
import { described, idOf, Name, resource, Timestamp } from './values.ts';

export const keyTable = defineFields({
  id: {
    schema: idOf('apiKey'),
    label: 'ID',
    summary: 'ID of the API key',
    column: {},
  },
  name: {
    schema: Name,
    label: 'Name',
    settable: true,
    derived: true,
    summary: 'Name that the request log shows for the key',
    defaultText: 'its last four characters',
    detail: 'Several keys can have the same name',
    example: 'Checkout',
    option: '--name <name>',
    column: { canTruncate: true },
  },
  last4: {
    schema: v.string(),
    label: 'Key',
    summary: 'Last four characters of the key',
    detail: 'The database stores only these characters and a hash of the key',
    column: { hideOrder: 4 },
  },
  scopes: {
    schema: v.pipe(v.array(v.picklist(scopes)), v.minLength(1, 'must name at least one scope')),
    label: 'Scopes',
    settable: true,
    summary: 'Scopes that the key grants',
    example: ['events:read', 'events:write'],
    option: '--scopes <list>',
    column: { hideOrder: 3, canTruncate: true },
  },
  workspace_id: {
    schema: v.nullable(idOf('workspace')),
    label: 'Workspace',
    summary: 'ID of the workspace that the key is bound to',
    detail: '`null` if the key is valid for all workspaces',
    column: { hideOrder: 2 },
  },
  created_at: {
    schema: Timestamp,
    label: 'Created',
    summary: 'Wall time at which the key was created',
    column: { hideOrder: 1 },
  },
  revoked_at: {
    schema: v.nullable(Timestamp),
    label: 'Revoked',
    summary: 'Wall time at which the key was revoked, or `null`',
    column: {},
  },
});

const settingTable = pickSettable(keyTable);
/** The fields that create a key, except the workspace, which each surface selects in its own way. */
export const newKeyFields = toRequestFields(settingTable);
export const keySettings = toResponseFields(settingTable);

type Values = v.InferOutput<v.ObjectSchema<typeof newKeyFields, undefined>>;
export type NewKey = { readonly [Name in keyof Values]: Readonly<Values[Name]> };

export const ApiKey = resource(
  'Metadata of an API key. The key itself is not included.',
  toResponseFields(keyTable),
);
export type ApiKey = v.InferOutput<typeof ApiKey>;

export const CreatedApiKey = resource('A new API key, including the key itself.', {
  ...ApiKey.entries,
  key: described(
    { summary: 'The key itself', detail: 'It is returned only when the key is created' },
    v.string(),
  ),
});
export type CreatedApiKey = v.InferOutput<typeof CreatedApiKey>;
