/** A workspace: it owns events, endpoints and deliveries (§2). */
import * as v from 'valibot';
import { environments } from '../domain/credentials.ts';
import { defineFields, pickSettable, toRequestFields, toResponseFields } from './define-resource.ts';
import { idOf, Name, resource, Timestamp } from './values.ts';

export const workspaceTable = defineFields({
  id: {
    schema: idOf('workspace'),
    label: 'ID',
    summary: 'ID of the workspace',
    column: {},
  },
  name: {
    schema: Name,
    label: 'Name',
    settable: true,
    summary: 'Name of the workspace',
    example: 'Acme',
    column: { canTruncate: true },
  },
  environment: {
    schema: v.picklist(environments),
    label: 'Environment',
    summary: 'Environment that the workspace belongs to',
    column: { hideOrder: 2 },
  },
  created_at: {
    schema: Timestamp,
    label: 'Created',
    summary: 'Time at which the workspace was created',
    column: { hideOrder: 1 },
  },
});

export const newWorkspaceFields = toRequestFields(pickSettable(workspaceTable));

export const Workspace = resource(
  'A workspace, which owns events, endpoints and deliveries.',
  toResponseFields(workspaceTable),
);
export type Workspace = v.InferOutput<typeof Workspace>;
