/** The delivery filter, in lists and in the live stream. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type DeliveryCondition, DeliveryFilter } from '../../../src/resources/delivery.ts';
import { startTestEmulator, type TestEmulator } from '../../support/test-emulator.ts';
import { createReceiver } from '../../support/test-receiver.ts';

const NOON = Date.parse('2026-11-20T12:00:00.000Z');
const url = 'http://127.0.0.1:9/Hooks';

let emulator: TestEmulator;
let ids: { readonly event: string; readonly webhook: string; readonly workspace: string };

beforeAll(async () => {
  await using receiver = await createReceiver(({ envelope }) =>
    envelope?.type === 'order.lost' ? 404 : 200,
  );
  const webhooks = [
    { url, events: ['order.shipped'] },
    { url: `${url}/disabled`, events: ['order.shipped'] },
    { url: receiver.url, events: ['order.shipped', 'order.lost', 'order.delayed'] },
  ];
  const clock = { now: new Date(NOON).toISOString(), frozen: true };
  emulator = await startTestEmulator({
    seed: { workspaces: [{ name: 'A', clock, webhooks }, { name: 'B' }] },
  });
  const { control } = emulator;
  for (const payload of [{ note: 'FRAGILE' }, {}]) {
    await emulator.api('POST', '/events', { type: 'order.shipped', payload });
    await emulator.api('POST', '/events', { type: 'order.lost' });
    await control.advanceClock({ ms: 60_000 });
  }
  await control.addFault({ on: 'delivery', kind: 'delay', type: 'order.delayed', delay_ms: 3_600_000 });
  await emulator.api('POST', '/events', { type: 'order.delayed' });
  const { data } = await control.listWebhooks({});
  const webhook = data.find((each) => each.url.endsWith('/disabled'))?.id ?? '';
  await control.updateWebhook({ id: webhook, disabled: true });
  const deliveries = (await control.listDeliveries({ limit: 100 })).data;
  const workspaces = (await control.listWorkspaces({})).data;
  ids = {
    event: deliveries[0]?.event_id ?? '',
    webhook,
    workspace: workspaces.find(({ name }) => name === 'B')?.id ?? '',
  };
});
afterAll(() => emulator.close());

/** The ids of the deliveries that the stream sends. It reads stored changes without a turn of the event loop. */
async function readStream(filter: DeliveryCondition, times: { since?: string; until?: string }) {
  const stopped = new AbortController();
  const input = { ...filter, ...times, types: 'delivery', ...(times.since ? {} : { since_sequence: 0 }) };
  const items = emulator.control.stream(input as never, stopped.signal)[Symbol.asyncIterator]();
  const found = new Set<string>();
  for (;;) {
    const turn = new Promise<null>((resolve) => setImmediate(() => resolve(null)));
    const result = await Promise.race([items.next(), turn]);
    if (result === null || result.done) break;
    if ('delivery' in result.value) found.add(result.value.delivery.id);
  }
  stopped.abort();
  return [...found].sort();
}

type Filter = () => DeliveryCondition;

const cases: [string, number, Filter][] = [
  ['no condition', 9, () => ({})],
  ['the status pending, which includes paused deliveries', 7, () => ({ status: 'pending' })],
  ['the status paused', 2, () => ({ status: 'paused' })],
  ['the status failing', 4, () => ({ status: 'failing' })],
  [
    'the status unsuccessful, which includes failing and failed deliveries',
    4,
    () => ({ status: 'unsuccessful' }),
  ],
  ['the status succeeded', 2, () => ({ status: 'succeeded' })],
  ['a response status', 2, () => ({ response_status: 404 })],
  ['a response status that no receiver sent', 0, () => ({ response_status: 403 })],
  ['a class of response statuses', 2, () => ({ response_status: '4xx' })],
  ['the class of successful responses', 2, () => ({ response_status: '2xx' })],
  ['no response, which excludes deliveries without an attempt', 4, () => ({ response_status: 'none' })],
  ['no response and a status', 2, () => ({ response_status: 'none', status: 'paused' })],
  ['an event', 1, () => ({ event_id: ids.event })],
  ['an event type', 2, () => ({ type: 'order.lost' })],
  ['a part of an event type', 0, () => ({ type: 'order' })],
  ['an endpoint', 2, () => ({ webhook_id: ids.webhook })],
  ['another workspace', 0, () => ({ workspace_id: ids.workspace })],
  ['a text in the URL in another case', 4, () => ({ text: '/hooks' })],
  ['a text in the body', 3, () => ({ text: 'fragile' })],
  ['a text in the event type', 2, () => ({ text: 'LOST' })],
  ['a time range', 4, () => ({ since: NOON, until: NOON + 60_000 })],
  [
    'a period in which attempts were due',
    8,
    () => ({ scheduled: `${new Date(NOON).toISOString()}/${new Date(NOON + 60_000).toISOString()}` }),
  ],
  ['the last minute', 4, () => ({ scheduled: '1m' })],
  [
    'a period in which attempts are due, without those to disabled endpoints',
    5,
    () => ({ scheduled: '0s/2026-11-20T14:00:00Z' }),
  ],
  ['several conditions', 1, () => ({ status: 'paused', text: 'fragile', until: NOON + 60_000 })],
];

it('the cases contain each field of the filter', () => {
  const fields = new Set(cases.flatMap(([, , toFilter]) => Object.keys(toFilter())));
  expect([...fields].sort()).toEqual(Object.keys(DeliveryFilter).sort());
});

it.each(cases)('the list and the stream select the same deliveries for %s', async (_, count, toFilter) => {
  const { since, until, ...filter } = toFilter();
  const times = {
    ...(since ? { since: new Date(since).toISOString() } : {}),
    ...(until ? { until: new Date(until).toISOString() } : {}),
  };
  const listed = (await emulator.control.listDeliveries({ ...filter, ...times, limit: 100 })).data;
  expect(listed).toHaveLength(count);
  expect(await readStream(filter, times)).toEqual(listed.map(({ id }) => id).sort());
});
