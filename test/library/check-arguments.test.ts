/** Plain JavaScript gets no help from types: the library refuses what it does not know, at every depth. */
import { expect, it } from 'vitest';
import { createEmulator, createReceiver, type Workspace } from '../../src/index.ts';
import { test } from '../../src/vitest.ts';

/** The library as a caller in JavaScript sees it. */
// biome-ignore lint/suspicious/noExplicitAny: what is passed is wrong on purpose.
type Untyped = any;
const untyped = { createEmulator, createReceiver } as Record<string, Untyped>;

async function errorOf(act: () => unknown): Promise<Untyped> {
  try {
    await act();
  } catch (error) {
    return error;
  }
  throw new Error('The call was not refused.');
}

/** Matches the sentence on its own, or followed by one that contains the hint. */
function withHint(sentence: string, hint?: string): unknown {
  if (hint === undefined) return sentence;
  return expect.toSatisfy(
    (message: string) => message.startsWith(`${sentence} `) && message.slice(sentence.length).includes(hint),
  );
}

const STATUS_FORMS = 'an object such as { status: 503 }, an array of these or a function';

it.each<[call: string, args: unknown[], message: string, hint?: string]>([
  [
    'createReceiver',
    ['500'],
    `createReceiver: responses must be a status from 200 to 599, ${STATUS_FORMS}, not "500".`,
  ],
  [
    'createReceiver',
    [99],
    `createReceiver: responses must be a status from 200 to 599, ${STATUS_FORMS}, not 99.`,
  ],
  [
    'createReceiver',
    [{ statuss: 500 }],
    'createReceiver has no option responses.statuss.',
    'responses.status?',
  ],
  [
    'createReceiver',
    [[200, { drp: true }]],
    'createReceiver has no option responses[1].drp.',
    'responses[1].drop?',
  ],
  [
    'createReceiver',
    [{ status: '500' }],
    'createReceiver: responses.status must be a status from 200 to 599, not "500".',
  ],
  [
    'createReceiver',
    [200, { timeoutMs: 5 }],
    'createReceiver has no option timeoutMs.',
    'Did you mean timeout?',
  ],
  [
    'createReceiver',
    [{ downFor: '2h' }],
    'createReceiver: downFor needs a schedule clock.',
    'clock: workspace.clock',
  ],
  [
    'createEmulator',
    [{ clock: { freeze: true } }],
    'createEmulator has no option clock.freeze.',
    'clock.frozen',
  ],
  [
    'createEmulator',
    [{ clock: { speed: -1 } }],
    'createEmulator: clock.speed must be a number from 0.001 to 1000000, not -1.',
  ],
  [
    'createEmulator',
    [{ port: '4777' }],
    'createEmulator: port must be a whole number from 0 to 65535, not "4777".',
  ],
  [
    'createEmulator',
    [{ forwardTo: 'nonsense url' }],
    'createEmulator: forwardTo must be { url, events } with an http or https URL, not "nonsense url".',
  ],
  [
    'createEmulator',
    [{ forwardTo: { url: 'nonsense url', events: ['*'] } }],
    'createEmulator: forwardTo.url must be an http or https URL, not "nonsense url".',
  ],
  ['createEmulator', [{ https: { crt: 'a' } }], 'createEmulator has no option https.crt.', 'https.cert'],
  [
    'createEmulator',
    [{ wallClock: '2026-01-01' }],
    'createEmulator: wallClock must be a valid Date, not "2026-01-01".',
  ],
  ['createEmulator', [null], 'createEmulator: the argument must be an object, not null.'],
])('%s(...%j) throws a usage error that names the option', async (call, args, message, hint) => {
  expect(await errorOf(() => untyped[call](...args))).toMatchObject({
    ...{ code: 'usage', hint: undefined },
    message: withHint(message, hint),
  });
});

const calls: [name: string, call: (workspace: Untyped) => unknown, message: string, hint?: string][] = [
  ['clock.advance()', ({ clock }) => clock.advance(), 'clock.advance: by is required.'],
  [
    'clock.advance(new Date())',
    ({ clock }) => clock.advance(new Date(0)),
    'clock.advance: by must be a number of milliseconds, or a string such as 90s, 5m, 1h30m or 3d, not a Date.',
  ],
  [
    'clock.advance(more than a hundred years)',
    ({ clock }) => clock.advance('9999999d'),
    'clock.advance: by must be at most 36500d.',
  ],
  [
    'trigger(a payload that is not JSON)',
    ({ trigger }) => trigger('a.b', { count: 1n }),
    'trigger: payload cannot be converted to JSON: Do not know how to serialize a BigInt.',
  ],
  [
    'clock.advanceTo()',
    ({ clock }) => clock.advanceTo('soon'),
    'clock.advanceTo: time must be a Date or an ISO 8601 time with Z or an offset, not "soon".',
  ],
  [
    'clock.advanceTo(a text that Date.parse reads)',
    ({ clock }) => clock.advanceTo('order 5'),
    'clock.advanceTo: time must be a Date or an ISO 8601 time with Z or an offset, not "order 5".',
  ],
  [
    'clock.speed(0)',
    ({ clock }) => clock.speed(0),
    'clock.speed: factor must be a number from 0.001 to 1000000, not 0.',
  ],
  [
    'deliveries.wait({}, { timeoutMs })',
    ({ deliveries }) => deliveries.wait({}, { timeoutMs: 100 }),
    'deliveries.wait has no option timeoutMs.',
    'Did you mean timeout?',
  ],
  [
    'deliveries.wait({ typ })',
    ({ deliveries }) => deliveries.wait({ typ: 'order.shipped' }),
    'deliveries.wait has no option filter.typ.',
    'Did you mean filter.type?',
  ],
  [
    'deliveries.list({ status })',
    ({ deliveries }) => deliveries.list({ status: 'faild' }),
    'deliveries.list: filter.status must be one of "unsuccessful", "failing", "failed", "pending", "paused", "succeeded", "canceled", not "faild".',
    'Did you mean failed?',
  ],
  ['deliveries.get()', ({ deliveries }) => deliveries.get(), 'deliveries.get: id is required.'],
  [
    'events.wait({ where })',
    ({ events }) => events.wait({ where: { order: 1 } }),
    'events.wait: selection.where must be a function, not an object.',
  ],
  [
    'events.list({ kind })',
    ({ events }) => events.list({ kind: 'a.b' }),
    'events.list has no option filter.kind.',
    'filter.type',
  ],
  [
    'trigger(…, { idempotency_key })',
    ({ trigger }) => trigger('a.b', {}, { idempotency_key: 'k' }),
    'trigger has no option idempotency_key.',
    'Did you mean idempotencyKey?',
  ],
  [
    'webhooks.create({ event })',
    ({ webhooks }) => webhooks.create({ url: 'http://127.0.0.1:9', event: ['a.b'] }),
    'webhooks.create has no option webhook.event.',
    'Did you mean webhook.events?',
  ],
  [
    'faults.add({ stauts })',
    ({ faults }) => faults.add({ on: 'request', stauts: 500 }),
    'faults.add has no option fault.stauts.',
    'Did you mean fault.status?',
  ],
  [
    'createWorkspace({ clock: { freeze } })',
    ({ createWorkspace }) => createWorkspace({ clock: { freeze: true } }),
    'createWorkspace has no option clock.freeze.',
    'clock.frozen',
  ],
];

test.for(calls)(
  '%s throws a usage error that names the option',
  async ([, call, message, hint], { emulator }) => {
    expect(await errorOf(() => call(emulator))).toMatchObject({
      ...{ code: 'usage', hint: undefined },
      message: withHint(message, hint),
    });
  },
);

const receiverCalls: [name: string, call: (receiver: Untyped) => unknown, message: string][] = [
  [
    'respond',
    ({ respond }) => respond({ stat: 1 }),
    'receiver.respond has no option responses.stat. Use one of responses.status, responses.headers, responses.body, responses.drop, responses.delayMs, responses.after.',
  ],
  ['respondTo', ({ respondTo }) => respondTo('a.b'), 'receiver.respondTo: responses is required.'],
  [
    'verifyWith',
    ({ verifyWith }) => verifyWith(''),
    'receiver.verifyWith: secret must be a secret or an array of secrets, not "".',
  ],
  ['waitFor', ({ waitFor }) => waitFor(1, 100), 'receiver.waitFor: the argument must be an object, not 100.'],
  ['request', ({ request }) => request(0), 'receiver.request: n must be a whole number, 1 or more, not 0.'],
];

test.for(receiverCalls)(
  'receiver.%s throws a usage error for an unknown or invalid argument',
  async ([, call, message], { receiver }) => {
    expect(await errorOf(() => call(receiver))).toMatchObject({
      code: 'usage',
      message,
    });
  },
);

test('toHaveDelivered rejects an unknown option and a value that is not a workspace', async ({
  workspace,
}) => {
  const expecting = (value: unknown) => expect(value as Workspace) as Untyped;
  expect(await errorOf(() => expecting(workspace).toHaveDelivered('a.b', { count: 5 }))).toMatchObject({
    ...{ code: 'usage', hint: undefined },
    message: 'toHaveDelivered has no option count. Use one of times, status, to, payload, timeout.',
  });
  expect(await errorOf(() => expecting(workspace).toHaveDelivered('a.b', { times: '1' }))).toMatchObject({
    message: 'toHaveDelivered: times must be a whole number, 0 or more, not "1".',
  });
  expect(await errorOf(() => expecting({}).toHaveDelivered('a.b'))).toMatchObject({
    ...{
      code: 'usage',
      message: 'toHaveDelivered: the value of expect must be a workspace or an emulator, not an object.',
    },
  });
});

test('a response function that returns an invalid response fails the attempt, with the reason in the response body', async ({
  workspace,
  receiver,
}) => {
  receiver.respond((() => ({ statsu: 500 })) as Untyped);
  const { event } = await workspace.trigger('order.shipped');
  await receiver.request(1);
  await workspace.clock.advance(0);
  const [delivery] = await workspace.deliveries.list({ event_id: event.id });
  const { attempts } = await workspace.deliveries.get(`${delivery?.id}`);
  expect(attempts[0]).toMatchObject({
    response_status: 500,
    response: {
      body: expect.stringContaining(
        'The receiver could not respond: receiver.respond has no option response.statsu.',
      ),
    },
  });
});
