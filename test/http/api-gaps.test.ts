/** Runs an emulator with each choice of the gap register that concerns the API. */
import { expect, it } from 'vitest';
import { startTestEmulator, type TestEmulator } from '../support/test-emulator.ts';

function start(gap: string, choice: unknown, more = {}): Promise<TestEmulator> {
  return startTestEmulator({ overrides: { [gap]: choice }, ...more });
}

function register(emulator: TestEmulator, change: object) {
  const { workspace_id } = emulator.status();
  const webhook = { workspace_id, url: 'https://hooks.example.com/', events: ['order.shipped'] };
  return emulator.api('POST', '/webhooks', { ...webhook, ...change });
}

it.each([
  ['payload', 'data'],
  ['data', 'payload'],
])(
  'choice %s: the field %s contains the payload, and the other name is unknown [event.body]',
  async (member, other) => {
    await using emulator = await start('event.body', member);
    const created = await emulator.api('POST', '/events', { type: 'a.b', [member]: { n: 1 } });
    expect([created.status, created.json.payload]).toEqual([201, { n: 1 }]);
    const refused = await emulator.api('POST', '/events', { type: 'a.b', [other]: { n: 1 } });
    expect([refused.status, refused.json.error.message]).toEqual([422, `${other} is not a known field.`]);
  },
);

it.each([
  ['open', 201],
  ['closed', 422],
])(
  'choice %s: an event of an unknown type, and a subscription to one, get %i [event.catalog]',
  async (choice, status) => {
    await using emulator = await start('event.catalog', choice);
    const event = (type: string) => emulator.api('POST', '/events', { type });
    expect((await event('order.shiped')).status).toBe(status);
    expect((await register(emulator, { events: ['order.shiped'] })).status).toBe(status);
    expect((await event('order.shipped')).status).toBe(201);
    expect((await register(emulator, { events: ['order.shipped', '*'] })).status).toBe(201);
    expect((await emulator.api('GET', '/events?type=order.shiped')).status).toBe(200);
  },
);

it.each([
  ['accepted', 201, 201],
  ['rejected', 422, 422],
])(
  'choice %s: a subscription to * gets %i in the sandbox and %i in production [webhook.wildcard, §2.webhook.wildcard]',
  async (choice, sandbox, production) => {
    await using first = await start('webhook.wildcard', choice);
    await using second = await start('webhook.wildcard', choice, { environment: 'production' });
    expect((await register(first, { events: ['*'] })).status).toBe(sandbox);
    expect((await register(second, { events: ['*'] })).status).toBe(production);
    expect((await register(second, { events: ['order.shipped'] })).status).toBe(201);
  },
);

it.each([
  ['workspace_id', 'workspace'],
  ['workspace', 'workspace_id'],
])(
  'the parameter %s selects the workspace of a list, and %s is unknown [list.workspace]',
  async (parameter, other) => {
    await using emulator = await start('list.workspace', parameter);
    const { workspace_id } = emulator.status();
    const { key } = await emulator.control.createKey({ scopes: ['events:read'] });
    const list = (query: string) =>
      emulator.api('GET', `/events${query}`, undefined, { authorization: `Bearer ${key}` });
    const { json: event } = await emulator.api('POST', '/events', { type: 'a.b' });
    expect((await list(`?${parameter}=${workspace_id}`)).json.data).toEqual([event]);
    expect((await list(`?${other}=${workspace_id}`)).status).toBe(400);
    expect((await list('')).json.error.message).toMatch(new RegExp(`^${parameter} is required`));
    expect((await emulator.api('GET', '/events')).json.data).toEqual([event]);
  },
);

it('a page has the default size, and at most the maximum [list.limit]', async () => {
  const choice = { default: 2, max: 3 };
  await using emulator = await start('list.limit', choice);
  for (let i = 0; i <= choice.max; i++) await emulator.api('POST', '/events', { type: 'a.b' });
  const sizes = await Promise.all(
    ['', '?limit=1', `?limit=${choice.max}`].map(
      async (query) => (await emulator.api('GET', `/events${query}`)).json.data.length,
    ),
  );
  expect(sizes).toEqual([choice.default, 1, choice.max]);
  const { status, json } = await emulator.api('GET', `/events?limit=${choice.max + 1}`);
  expect([status, json.error.message]).toEqual([
    400,
    `limit must be a whole number from 1 to ${choice.max}, not ${choice.max + 1}.`,
  ]);
});
