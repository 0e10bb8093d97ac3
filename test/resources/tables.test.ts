/** What a row of a resource must have, so that no surface leaves a field out. */
import { expect, it } from 'vitest';
import type { Fields, Filters } from '../../src/resources/define-resource.ts';
import { deliveryFilters, deliveryTable } from '../../src/resources/delivery.ts';
import { endpointTable } from '../../src/resources/endpoint.ts';
import { eventFilters, eventTable } from '../../src/resources/event.ts';
import { faultTable } from '../../src/resources/fault.ts';
import { keyTable } from '../../src/resources/key.ts';
import { requestFilters } from '../../src/resources/request.ts';
import { workspaceTable } from '../../src/resources/workspace.ts';

/** The type of an event and the name of a workspace are arguments, and several options create the payload. */
const withoutOption = ['event.type', 'event.payload', 'workspace.name'];
/**
 * Filters without an option: the dashboard links what is due in a period, `--key` is the API key by its ID or its name, and the log has no
 * `--until`.
 */
const filtersWithoutOption = [
  'delivery.scheduled',
  'request.api_key_id',
  'request.api_key_name',
  'request.until',
];

const list = (tables: Readonly<Record<string, Fields | Filters>>) =>
  Object.entries(tables).flatMap(([resource, table]) =>
    Object.entries<Fields[string]>(table as Fields).map(
      ([name, row]) => [`${resource}.${name}`, row] as const,
    ),
  );
const inLists = { event: eventTable, delivery: deliveryTable, key: keyTable, workspace: workspaceTable };
const tables = { ...inLists, endpoint: endpointTable, fault: faultTable };

it('each field that clients set has an option', () => {
  const missing = list(tables).filter(([, { settable, option }]) => settable && option === undefined);
  expect(missing.map(([name]) => name)).toEqual(withoutOption);
});

it('each field that clients can omit has an example, so that the documents show it', () => {
  const missing = list(inLists).filter(
    ([, row]) => (row.optional || row.derived) && row.example === undefined,
  );
  expect(missing.map(([name]) => name)).toEqual([]);
});

it('the lists of commands show each field that clients set, except on an endpoint or a fault', () => {
  const missing = list(inLists).filter(([, { settable, column }]) => settable && column === undefined);
  expect(missing.map(([name]) => name)).toEqual([]);
});

it('each filter has an option', () => {
  const filters = list({ event: eventFilters, delivery: deliveryFilters, request: requestFilters });
  const missing = filters.filter(([, { option }]) => option === undefined);
  expect(missing.map(([name]) => name)).toEqual(filtersWithoutOption);
});
