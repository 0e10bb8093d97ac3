import { describe, expect, it } from 'vitest';
import { eventTypeChoices, fixtureChoices, scriptChoices } from '../../src/cli/choices/fixture-choices.ts';
import { eventChoices, keyChoices } from '../../src/cli/choices/resource-choices.ts';
import type { ApiKey } from '../../src/resources/key.ts';
import { apiResponse, createFakeContext, pageOf } from './fake-context.ts';

const created_at = '2026-11-20T11:57:00.000Z';
const aKey: ApiKey = {
  ...{ id: 'key_1', name: 'Checkout', scopes: ['events:read'], workspace_id: null, last4: 'abcd' },
  ...{ created_at, revoked_at: null },
};

describe('choices of a prompt', () => {
  it('API key choices do not include revoked keys', async () => {
    const revoked = { ...aKey, id: 'key_2', revoked_at: created_at };
    const { context } = createFakeContext({ control: { listKeys: async () => pageOf(aKey, revoked) } });
    expect(await keyChoices.list(context)).toEqual([
      { value: 'key_1', description: 'Checkout  …abcd  events:read  all  3m ago' },
    ]);
  });

  it('event choices are the events of the workspace', async () => {
    const event = { id: 'evt_1', workspace_id: 'ws_1', type: 'a.b', payload: { n: 1 }, created_at };
    const { context } = createFakeContext({
      api: {
        listEvents: async (query) => {
          expect(query).toEqual({ workspace_id: 'ws_default', limit: 100 });
          return apiResponse(pageOf(event));
        },
      },
    });
    expect(await eventChoices.list(context)).toEqual([
      { value: 'evt_1', description: 'a.b  3m ago  {"n":1}' },
    ]);
  });

  it('fixture choices contain event types and scripts', async () => {
    const { context } = createFakeContext();
    const valuesOf = async (choiceSource: typeof fixtureChoices) =>
      (await choiceSource.list(context)).map(({ value }) => value);
    const all = await valuesOf(fixtureChoices);
    // No emulator is running, so no other event types are known.
    expect(all).toEqual([...(await valuesOf(eventTypeChoices)), ...(await valuesOf(scriptChoices))]);
    expect(await valuesOf(eventTypeChoices)).toContain('order.shipped');
    expect(await valuesOf(scriptChoices)).toContain('order-lifecycle');
  });
});
