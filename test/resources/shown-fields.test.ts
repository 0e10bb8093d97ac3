/** Each field of a resource is shown wherever one resource is shown, or is in a list of this file. */
import type * as v from 'valibot';
import { expect, it } from 'vitest';
import { toSnapshot } from '../../src/library/delivery-snapshot.ts';
import { detailDelivery } from '../../src/mcp/summarize-delivery.ts';
import { type ControlOperations, controlOperations } from '../../src/operations/control-operations.ts';
import { type DeliveryDetail, deliveryTable } from '../../src/resources/delivery.ts';
import { endpointTable } from '../../src/resources/endpoint.ts';
import { keyTable } from '../../src/resources/key.ts';
import { requestTable } from '../../src/resources/request.ts';
import { workspaceTable } from '../../src/resources/workspace.ts';
import { createFakeContext } from '../cli/fake-context.ts';
import { runCommand } from '../support/command-definitions.ts';
import { createExample, exampleExplanation } from '../support/create-example.ts';

type Resource = Readonly<Record<string, unknown>>;

/** Another valid value of a field than its example. */
function changeValue(schema: v.GenericSchema, example: unknown): unknown {
  const { type, options } = schema as Partial<v.PicklistSchema<readonly string[], undefined>>;
  if ((type as string) === 'nullable') return null;
  if (type === 'picklist') return options?.find((option) => option !== example);
  if (typeof example === 'boolean') return !example;
  if (typeof example === 'number') return example + 1;
  if (typeof example === 'string') return example.endsWith('Z') ? '2020-01-01T00:00:00.000Z' : `${example}1`;
  return Array.isArray(example) ? [...example, 'other.type'] : { ...(example as object), 'X-Other': 'value' };
}

/** The fields of the table that have no influence on what is shown. */
async function listHidden(
  operation: keyof ControlOperations,
  table: object,
  show: (resource: Resource) => string | Promise<string>,
): Promise<string[]> {
  const { output } = controlOperations[operation];
  const { entries } = output as unknown as { readonly entries: v.ObjectEntries };
  const example = createExample(output) as Resource;
  const shown = await show(example);
  const hidden: string[] = [];
  for (const name of Object.keys(table)) {
    const changed = { ...example, [name]: changeValue(entries[name] as v.GenericSchema, example[name]) };
    if ((await show(changed)) === shown) hidden.push(name);
  }
  return hidden;
}

it.each<[name: string, operation: keyof ControlOperations, table: object, hidden: string[]]>([
  // The attempts are shown, and their number with them.
  ['deliveries get', 'getDelivery', deliveryTable, ['workspace_id', 'attempt_count', 'last_attempt']],
  ['logs get', 'getRequest', requestTable, []],
  ['webhooks get', 'getWebhook', endpointTable, []],
  ['workspaces get', 'getWorkspace', workspaceTable, []],
  // The whole key is shown, and it was created just now.
  ['keys create', 'createKey', keyTable, ['last4', 'created_at', 'revoked_at']],
])('svc %s shows each field of %s, except those in a list', async (name, operation, table, hidden) => {
  const show = async (resource: Resource) => {
    const control = { [operation]: async () => resource, explainDelivery: async () => exampleExplanation };
    const { context, capturedOutput } = createFakeContext({ control });
    await runCommand(name, { id: 'x_1' }, context);
    return capturedOutput.out;
  };
  expect(await listHidden(operation, table, show)).toEqual(hidden);
});

it('the MCP tool deliveries shows each field of a delivery, except its workspace and when it settled', async () => {
  const show = (resource: Resource) => JSON.stringify(detailDelivery(resource as DeliveryDetail, false));
  expect(await listHidden('getDelivery', deliveryTable, show)).toEqual(['workspace_id', 'settled_at']);
});

it('a snapshot of the library has each field of a delivery that its status and its attempts do not show', async () => {
  const show = (resource: Resource) => JSON.stringify(toSnapshot([resource as DeliveryDetail]));
  expect(await listHidden('getDelivery', deliveryTable, show)).toEqual([
    ...['workspace_id', 'paused', 'attempt_count', 'last_attempt', 'next_attempt_at', 'settled_at'],
  ]);
});
