import { describe, expect, it } from 'vitest';
import { decodePhases } from '../../../src/domain/attempt-phases.ts';
import { MINUTE_MS } from '../../../src/domain/duration.ts';
import type { DeliveryFaultKind } from '../../../src/domain/fault.ts';
import {
  getSigningSecrets,
  sendAttempt,
  toDeliveryRequest,
} from '../../../src/emulator/deliveries/attempt.ts';
import { toClockState } from '../../../src/store/workspaces.ts';
import { createScriptedSender, failedResult, NOW, startDispatcher } from './dispatcher-setup.ts';

const ONE_AT_A_TIME = { 'delivery.concurrency': { per_endpoint: 1, total: 1 } };
const phases = { queued: 40, dns: null, connect: 1, tls: null, send: 2, wait: 3, receive: 4 };

/** A dispatcher with an endpoint, one attempt in flight and one that waits for its turn. */
async function startWithQueue(frozen = true) {
  const dispatch = startDispatcher({ overrides: ONE_AT_A_TIME, frozen });
  dispatch.endpoint();
  const [first = '', second = ''] = await dispatch.trigger(2);
  return {
    ...{ ...dispatch, first, second },
    attemptsOf: (id: string) => dispatch.store.attempts.listByDelivery(dispatch.get(id).seq),
  };
}

const addFault = ({ sandbox }: ReturnType<typeof startDispatcher>, kind: DeliveryFaultKind) =>
  sandbox.faults.add({ on: 'delivery', kind, count: 1, probability: 1 });

describe('the record of an attempt', () => {
  it('an attempt is recorded with microseconds, the time it waited for its turn, and its body', async () => {
    const { first, second, attempt, pass, attemptsOf } = await startWithQueue();
    const body = Buffer.from('n');
    const response = { headers: { 'x-a': 'b' }, body, truncated: true };
    await (await attempt(1)).respond({ ...failedResult, durationMs: 12.3456789, phases, response });
    pass(250);
    await (await attempt(2)).respond({ durationMs: 0.0004, phases: { ...phases, queued: null } });
    expect(attemptsOf(first)).toMatchObject([
      {
        ...{ number: 1, sent_at_wall: NOW, duration_ms: 12.346, outcome: 'http_error', response_status: 500 },
        ...{ response_headers: '{"x-a":"b"}', response_body: body, response_truncated: 1 },
      },
    ]);
    expect(attemptsOf(second)).toMatchObject([
      { duration_ms: 0, response_headers: '{}', response_body: null, response_truncated: 0 },
    ]);
    const queued = [first, second].map((id) => decodePhases(attemptsOf(id)[0]?.phases ?? '').queued);
    expect(queued).toEqual([40, 0]);
  });

  it('an attempt without a response has no phases, headers and body', async () => {
    const { first, attempt, attemptsOf } = await startWithQueue();
    const outcome = 'connection_error';
    await (await attempt(1)).respond({ outcome, responseStatus: null, response: null, phases: null });
    expect(attemptsOf(first)).toMatchObject([
      { phases: null, response_headers: null, response_body: null, response_truncated: 0 },
    ]);
  });

  it('the second request of a duplicate is sent after the first, and does not wait in the queue', async () => {
    const dispatch = await startWithQueue();
    const { second, attempt, attemptsOf, pass } = dispatch;
    await addFault(dispatch, 'duplicate');
    const before = await attempt(1);
    pass(250);
    await before.respond();
    await (await attempt(2)).respond({ durationMs: 20.6, phases });
    await (await attempt(3)).respond({ durationMs: 1, phases: { ...phases, queued: 0 } });
    expect(attemptsOf(second)).toMatchObject([
      { number: 1, sent_at_wall: NOW + 250 },
      { number: 2, sent_at_wall: NOW + 271 },
    ]);
    expect(attemptsOf(second).map((row) => decodePhases(row.phases ?? '').queued)).toEqual([290, 0]);
  });

  it('an attempt stores the time of a running clock, so that no row is later than it after a restart', async () => {
    const { attempt, pass, store } = await startWithQueue(false);
    const inFlight = await attempt(1);
    pass(61_000);
    await inFlight.respond();
    expect(store.workspaces.listAll().map((row) => toClockState(row).at)).toEqual([NOW + 61_000]);
  });

  it('a success ends the retry schedule, although a replay that was requested meanwhile fails', async () => {
    const { first, attempt, replay, get } = await startWithQueue();
    const inFlight = await attempt(1);
    await replay(first);
    await inFlight.respond();
    expect(get(first)).toMatchObject({ status: 'pending', on_schedule: 0, replays_waiting: 1 });
    await (await attempt(2)).respond();
    await (await attempt(3)).respond(failedResult);
    expect(get(first)).toMatchObject({ status: 'succeeded', due_at: null, attempt_count: 2 });
  });
});

it.each([
  [1, 1_000, 0],
  [1, 1_001, 1_001],
  [60, 1_000, 0],
  [60, 1_001, 60_060],
  [0.5, 2_000, 0],
  [0.5, 2_002, 1_001],
])(
  'at speed %d, the retry schedule of an attempt %i ms after its due time begins %i ms after it',
  async (speed, realMs, startedAfterMs) => {
    const { second, attempt, pass, get, workspace } = await startWithQueue(false);
    workspace.clock.set({ speed });
    const before = await attempt(1);
    pass(realMs);
    await before.respond();
    await (await attempt(2)).respond(failedResult);
    expect(get(second)).toMatchObject({
      first_attempt_at: NOW + startedAfterMs,
      due_at: NOW + startedAfterMs + 5 * MINUTE_MS,
    });
  },
);

describe('sendAttempt', () => {
  /** Sends an attempt of a new delivery, without the dispatcher. */
  async function start(kind?: DeliveryFaultKind) {
    const dispatch = startDispatcher();
    await dispatch.dispatcher.stop(0);
    if (kind !== undefined) await addFault(dispatch, kind);
    const { seq: webhookSeq } = dispatch.store.webhooks.getBySeq(
      dispatch.store.webhooks.findSeq(dispatch.endpoint().id) ?? 0,
    );
    const [id = ''] = await dispatch.trigger();
    const { sender, sent, inFlight } = createScriptedSender();
    const reordered = new Set<number>();
    const { workspace, sandbox } = dispatch;
    const send = (seq: number) =>
      sendAttempt(sandbox, sender, { seq, webhookSeq, workspace, waitingSince: 0 }, reordered);
    return { ...dispatch, id, reordered, webhookSeq, sent, inFlight, send, seq: dispatch.get(id).seq };
  }

  it('a delivery that was canceled since its row was read is not sent', async () => {
    const { seq, webhookSeq, send, sent, store } = await start();
    store.writeNow(() => store.deliveries.cancelPending(webhookSeq, NOW, 0));
    const record = await send(seq);
    expect([await record(), sent]).toEqual([null, []]);
  });

  it('only a reorder fault waits for the next delivery, which makes the delayed one due', async () => {
    const delayed = await start('delay');
    await (await delayed.send(delayed.seq))();
    expect([delayed.reordered.size, delayed.sent]).toEqual([0, []]);

    const { id, reordered, webhookSeq, seq, send, inFlight, trigger, get } = await start('reorder');
    await (await send(seq))();
    expect([...reordered]).toEqual([webhookSeq]);
    expect(get(id).due_at).toBeGreaterThan(NOW);
    const [nextId = ''] = await trigger();
    const sending = send(get(nextId).seq);
    for (const attempt of inFlight) await attempt.respond();
    await (await sending)();
    expect(reordered.size).toBe(0);
    expect(get(id).due_at).toBe(NOW);
  });
});

describe('the request of a delivery', () => {
  it.each([
    [null, NOW + 1, ['whsec_a']],
    ['whsec_b', null, ['whsec_a']],
    ['whsec_b', NOW, ['whsec_a']],
    ['whsec_b', NOW + 1, ['whsec_a', 'whsec_b']],
  ])(
    'with the previous secret %s, which expires at %s, a delivery is signed with %j',
    (previous, expiresAt, secrets) => {
      const endpoint = {
        secret: 'whsec_a',
        previous_secret: previous,
        previous_secret_expires_at: expiresAt,
      };
      expect(getSigningSecrets(endpoint, NOW)).toEqual(secrets);
    },
  );

  it.each([
    [0, false],
    [1, true],
  ] as const)('skip_verify %i of an endpoint accepts any certificate: %s', (skip_verify, insecureTls) => {
    const { sandbox } = startDispatcher();
    const target = { url: 'https://127.0.0.1:9/', headers: '{"X-A":"b","User-Agent":"own"}', skip_verify };
    const message = { secrets: ['whsec_a'], id: 'del_1', timestampMs: NOW, body: '{}' };
    const { signature: scheme } = sandbox.rules;
    const values = { type: 'order.shipped', attempt: 1 };
    const request = toDeliveryRequest(sandbox, target, { ...message, scheme }, values);
    expect(request).toMatchObject({ url: target.url, body: '{}', insecureTls });
    expect(request.headers).toMatchObject({
      'X-A': 'b',
      'User-Agent': 'own',
      'Service-Delivery-Id': 'del_1',
    });
  });
});
