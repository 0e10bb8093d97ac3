/** When `events.wait` reads the events again and what its error says, with a control plane in memory. */
import { once } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createEvents, type EventWaitOptions } from '../../src/library/events.ts';
import type { WorkspaceSetup } from '../../src/library/workspace-setup.ts';
import type { ControlPlane } from '../../src/operations/control-plane.ts';
import { pageOf } from '../cli/fake-context.ts';

const created = { type: 'request' };
const filter = { types: 'request', method: 'POST', path: '/v1/events', status: 201 };

const rejected = [
  { status: 401, error_code: 'unauthenticated', workspace_id: null },
  { status: 422, error_code: 'validation_failed', workspace_id: 'ws_1' },
  { status: 403, error_code: 'forbidden', workspace_id: 'ws_2' },
].map((request) => ({ id: 'req_1', ...request }));

interface State {
  /** The types of the events at each list request; the last list is repeated. */
  readonly lists: readonly (readonly string[])[];
  /** Items of the stream. It then reports nothing until its end. */
  readonly items?: readonly object[];
  readonly rejected?: readonly object[];
  readonly closing?: AbortSignal;
}

async function wait(
  { lists, items = [], rejected = [], closing = new AbortController().signal }: State,
  selection?: Parameters<ReturnType<typeof createEvents>['wait']>[0],
  options: EventWaitOptions = {},
) {
  const order: string[] = [];
  let listCount = 0;
  const control: Partial<ControlPlane> = {
    stream: (input, signal) => ({
      ready: Promise.resolve().then(
        () => void order.push(isDeepStrictEqual(input, filter) ? 'ready' : 'wrong'),
      ),
      async *[Symbol.asyncIterator]() {
        for (const item of items) {
          order.push('item');
          yield item as never;
        }
        if (!signal.aborted) await once(signal, 'abort');
      },
    }),
    listEvents: async ({ type }) => {
      order.push('list');
      const types = lists[Math.min(listCount++, lists.length - 1)] ?? [];
      const events = types.map((name, index) => ({ id: `evt_${index}`, type: name }));
      return pageOf(...events.filter((event) => type === undefined || event.type === type)) as never;
    },
    getEvent: async ({ id }) => ({ id, type: (lists.at(-1) ?? [])[Number(id.slice(4))] }) as never,
    listRequests: async () => pageOf(...(rejected as { id: string }[])) as never,
  };
  const events = createEvents({ control, workspaceId: 'ws_1', closing } as WorkspaceSetup);
  const result = await events.wait(selection, { timeout: '1h', ...options }).then(
    (found) => ({ ids: found.map(({ id }) => id) }),
    ({ code, message }) => ({ code, message }),
  );
  return { ...result, order };
}

describe('events.wait', () => {
  it('a wait for events that exist resolves without the stream, which is open before the list is read', async () => {
    const result = await wait({ lists: [['a.b', 'a.b']], items: [created] }, {}, { count: 2 });
    expect(result).toEqual({ ids: ['evt_0', 'evt_1'], order: ['ready', 'list'] });
  });

  it('a wait reads the events again after each request that created one', async () => {
    const { order } = await wait({ lists: [[], [], ['a.b']], items: [created, created, created] });
    expect(order).toEqual(['ready', 'list', 'item', 'list', 'item', 'list']);
  });

  it('a wait continues until enough events match', async () => {
    const result = await wait(
      { lists: [[], ['a.b'], ['a.b', 'a.b']], items: [created, created] },
      {},
      { count: 2 },
    );
    expect(result).toMatchObject({ ids: ['evt_0', 'evt_1'] });
  });

  it('a wait selects events by their type and a function', async () => {
    const lists = [['a.b', 'c.d', 'a.b']];
    expect(await wait({ lists }, { type: 'a.b' })).toMatchObject({ ids: ['evt_0', 'evt_2'] });
    expect(await wait({ lists }, { where: ({ id }) => id !== 'evt_0' })).toMatchObject({
      ids: ['evt_1', 'evt_2'],
    });
  });

  it.each<[string, State, Parameters<typeof wait>[1], number, string[]]>([
    ['0 of 1 event was created within 0ms.', { lists: [[]] }, {}, 1, ['No event was created.']],
    [
      '0 of 1 event of x.y was created within 0ms.',
      { lists: [['a.b', 'c.d', 'a.b']] },
      { type: 'x.y' },
      1,
      ['Events of these types were created: a.b, c.d.'],
    ],
    [
      '1 of 2 events were created within 0ms.',
      { lists: [['a.b']], rejected },
      {},
      2,
      [
        'Events of these types were created: a.b.',
        'POST /v1/events was rejected: 401 unauthenticated.',
        'POST /v1/events was rejected: 422 validation_failed.',
      ],
    ],
  ])('a wait that times out says "%s"', async (headline, state, selection, count, lines) => {
    const { order: _, ...error } = await wait(state, selection, { count, timeout: 0 });
    const message = [headline, ...lines.map((line) => `  ${line}`)].join('\n');
    expect(error).toEqual({ code: 'timeout', message });
  });

  it('a wait is interrupted when the emulator is closed, unless enough events match', async () => {
    const closing = AbortSignal.abort();
    expect(await wait({ lists: [[]], closing })).toMatchObject({ code: 'interrupted' });
    expect(await wait({ lists: [['a.b']], closing })).toMatchObject({ ids: ['evt_0'] });
  });
});
