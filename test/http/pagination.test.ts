import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestEmulator, type TestEmulator } from '../support/test-emulator.ts';

let emulator: TestEmulator;
let api: TestEmulator['api'];
beforeAll(async () => {
  emulator = await startTestEmulator();
  api = emulator.api;
});
afterAll(() => emulator.close());

/** Creates events in a new workspace. @returns their ids, newest first, and a query that names it. */
async function fill(types: readonly string[]) {
  const workspace = await emulator.control.createWorkspace({ name: 'Pages' });
  const { key } = await emulator.control.createKey({
    scopes: ['events:read', 'events:write'],
    workspace_id: workspace.id,
  });
  const headers = { authorization: `Bearer ${key}` };
  const create = async (type: string): Promise<string> =>
    (await api('POST', '/events', { type }, headers)).json.id;
  const list = async (query = '') => (await api('GET', `/events?${query}`, undefined, headers)).json;
  const ids: string[] = [];
  for (const type of types) ids.unshift(await create(type));
  return { ids, create, list };
}

const idsOf = (page: { data: { id: string }[] }) => page.data.map(({ id }) => id);

describe('a list of events', () => {
  it('a list is a page of events, newest first [§4.list-events, §2.list.data, list.order]', async () => {
    const { ids, list } = await fill(['a.b', 'c.d', 'e.f']);
    const page = await list();
    expect(idsOf(page)).toEqual(ids);
    expect(page.data[0]).toMatchObject({ type: 'e.f', payload: {} });
    expect(page).toMatchObject({ has_more: false, end_cursor: ids[2] });
  });

  it('a client reads all pages with end_cursor as starting_after while has_more is true, each event once although others are created [§4.1, §2.list.has-more, §2.list.end-cursor, id.format]', async () => {
    const { ids, create, list } = await fill(Array(7).fill('a.b'));
    const first = await list('limit=3');
    expect([idsOf(first), first.has_more, first.end_cursor]).toEqual([ids.slice(0, 3), true, ids[2]]);
    await create('c.d');
    const second = await list(`limit=3&starting_after=${first.end_cursor}`);
    expect([idsOf(second), second.has_more, second.end_cursor]).toEqual([ids.slice(3, 6), true, ids[5]]);
    const third = await list(`limit=3&starting_after=${second.end_cursor}`);
    expect([idsOf(third), third.has_more, third.end_cursor]).toEqual([ids.slice(6), false, ids[6]]);
    expect(await list(`starting_after=${third.end_cursor}`)).toMatchObject({ data: [], has_more: false });
  });
});

describe('an invalid query of a list', () => {
  const unknown = 'evt_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D';
  it.each([
    ['limit=0', 'limit must be a whole number from 1 to 100, not 0.'],
    ['limit=101', 'limit must be a whole number from 1 to 100, not 101.'],
    ['limit=', 'limit must be a whole number from 1 to 100, not "".'],
    ['limit=ten', 'limit must be a whole number from 1 to 100, not "ten".'],
    ['limit=1e1', 'limit must be a whole number from 1 to 100, not "1e1".'],
    ['limit=1&limit=2', 'The query contains limit twice.'],
    ['limit[]=1', 'limit[] is not a known field.'],
    ['page=2', 'page is not a known field.'],
    ['__proto__=1', '__proto__ is not a known field.'],
    [`starting_after=${unknown}`, 'starting_after is not the end_cursor of a page of this list.'],
    ['starting_after=5', 'starting_after must be an event ID (evt_ followed by a ULID), not "5".'],
    [
      "starting_after=evt_' OR 1=1 --",
      `starting_after must be an event ID (evt_ followed by a ULID), not "evt_' OR 1=1 --".`,
    ],
    ['type=shipped', 'type must have the form <noun>.<verb> in lowercase, such as order.shipped.'],
  ])('a list with ?%s gets an error [list.limit, list.order, error.codes]', async (query, message) => {
    const { status, json } = await api('GET', `/events?${query}`);
    expect([status, json.error.code, json.error.message]).toEqual([400, 'invalid_request', message]);
  });
});
