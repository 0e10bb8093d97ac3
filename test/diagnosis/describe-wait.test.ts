import { describe, expect, it } from 'vitest';
import {
  type DeliveryGroup,
  decideWait,
  describeEmptyWait,
  describePaused,
  describeWait,
  type EmptyWait,
  type EndedWait,
  suggestEnable,
} from '../../src/diagnosis/describe-wait.ts';
import { aDelivery } from '../cli/fake-context.ts';

const NOW = 1_000;
const group = (status: DeliveryGroup['status'], changes: Partial<DeliveryGroup> = {}): DeliveryGroup => ({
  ...{ workspace_seq: 1, status, webhook_id: 'wh_1', disabled: 0, count: 1 },
  due_at: status === 'pending' ? NOW : null,
  ...changes,
});

describe('decideWait', () => {
  const decide = (groups: readonly DeliveryGroup[], condition: Partial<Parameters<typeof decideWait>[1]>) =>
    decideWait(groups, { retries: true, ...condition }, () => NOW);

  it.each<[string, DeliveryGroup[], Parameters<typeof decide>[1], ReturnType<typeof decideWait>]>([
    ['no delivery matches', [], {}, null],
    ['one is pending', [group('succeeded'), group('pending')], {}, null],
    ['all have settled', [group('succeeded'), group('failed')], {}, 'settled'],
    ['all have the status', [group('failed', { count: 2 })], { status: 'failed' }, 'settled'],
    [
      'one has another status',
      [group('pending'), group('canceled')],
      { status: 'failed' },
      'unexpected_status',
    ],
    ['there are too few', [group('succeeded')], { count: 2 }, null],
    ['enough have settled', [group('succeeded', { count: 2 }), group('pending')], { count: 2 }, 'settled'],
    ['an attempt is due', [group('pending')], { retries: false }, null],
    ['an attempt is due later', [group('pending', { due_at: NOW + 1 })], { retries: false }, 'settled'],
    ['there is none, and no retry counts', [], { retries: false }, 'settled'],
  ])('a wait in which %s is decided', (_, groups, condition, decision) => {
    expect(decide(groups, condition)).toBe(decision);
  });
});

describe('describeWait', () => {
  const retrying = aDelivery({ id: 'del_1' });
  const failing = { ...retrying, last_attempt: { number: 1, outcome: 'http_error' } as never };
  const next = { workspaceId: 'ws_1', isDefaultWorkspace: true, inMs: 299_001, speed: 1 };
  const text = (changes: Partial<EndedWait>) =>
    describeWait({
      ...{ reason: 'stalled', timeoutMs: 30_000, status: undefined, count: undefined },
      ...{
        counts: { pending: 1, succeeded: 0, failed: 0, canceled: 0 },
        others: [retrying],
        next,
        paused: [],
      },
      ...changes,
    });
  const counts = { pending: 0, succeeded: 1, failed: 0, canceled: 0 };
  const paused = [{ webhook_id: 'wh_1', deliveries: 1 }];

  it.each<[Partial<EndedWait>, string | null, string | undefined]>([
    [{ reason: 'settled', others: [] }, null, undefined],
    [{ reason: 'settled' }, null, 'svc explain del_1'],
    [
      {
        reason: 'unexpected_status',
        status: 'failed',
        others: [aDelivery({ id: 'del_2', status: 'canceled' })],
      },
      'del_2 is canceled, not failed.',
      'svc explain del_2',
    ],
    [
      { reason: 'timeout', count: 3, counts, next: null },
      'Only 1 of 3 deliveries settled within 30s.',
      undefined,
    ],
    [{}, '1 delivery cannot settle within 30s: the next attempt is due in 4m 59s.', 'svc clock next'],
    [
      { next: { ...next, speed: 0, isDefaultWorkspace: false } },
      '1 delivery cannot settle within 30s: the next attempt is due in 4m 59s, and the clock is frozen.',
      'svc clock next --workspace ws_1',
    ],
    [
      { next: { ...next, speed: 2 }, others: [retrying, failing] },
      '1 delivery cannot settle within 30s: the next attempt is due in 4m 59s, at speed 2.',
      'svc explain del_1',
    ],
    [
      { reason: 'timeout', others: [failing], next: { ...next, inMs: 0 } },
      '1 delivery has not settled after 30s.',
      'svc deliveries list --status pending',
    ],
    [{ next: null, paused }, '1 delivery is paused: wh_1 is disabled.', 'svc webhooks update wh_1 --enable'],
    [
      { reason: 'timeout', counts: { ...counts, pending: 2 }, paused },
      '2 deliveries have not settled after 30s. 1 delivery is paused: wh_1 is disabled.',
      'svc deliveries list --status pending',
    ],
  ])('the text of %j is "%s"', (changes, message, command) => {
    const result = text(changes);
    expect([result.message, result.hint?.command]).toEqual([message, command]);
  });

  it('a text names at most five endpoints of paused deliveries', () => {
    const many = Array.from({ length: 7 }, (_, index) => ({ webhook_id: `wh_${index}`, deliveries: 1 }));
    expect(describePaused(many)).toBe(
      '7 deliveries are paused: wh_0, wh_1, wh_2, wh_3, wh_4, … and 2 more are disabled.',
    );
    expect(suggestEnable(many)).toMatchObject({
      text: 'Enable the first of them',
      command: expect.stringMatching(/^svc webhooks update wh_0 --enable; .*wh_4 --enable$/),
    });
  });
});

describe('describeEmptyWait', () => {
  const endpoint = { id: 'wh_1', events: ['c.d'], disabled: false };
  const empty = (changes: Partial<EmptyWait>) =>
    describeEmptyWait({
      ...{ timeoutMs: 5_000, type: 'a.b', suggestion: null, undelivered: undefined },
      ...{ eventTypes: new Set(['c.d']), rejections: new Set(), endpoints: [endpoint] },
      ...changes,
    });

  it.each<[Partial<EmptyWait>, string[], string | undefined]>([
    [
      {},
      ['No event of a.b was created.', 'Events of other types: c.d.'],
      'svc webhooks update wh_1 --events c.d,a.b',
    ],
    [
      { suggestion: 'Did you mean c.d?', endpoints: [] },
      ['No event of a.b was created.', 'Did you mean c.d?', 'Events of other types: c.d.'],
      'svc webhooks create --url URL --events a.b',
    ],
    [
      { type: undefined, eventTypes: new Set(), rejections: new Set(['401 unauthenticated']) },
      ['No event was created.', 'POST /v1/events was rejected: 401 unauthenticated.'],
      'svc webhooks list',
    ],
    [
      {
        type: undefined,
        undelivered: { id: 'evt_1', type: 'c.d' },
        endpoints: [{ ...endpoint, disabled: true }],
      },
      ['evt_1 has no deliveries: no enabled endpoint subscribed to c.d when it was created.'],
      'svc webhooks update wh_1 --enable',
    ],
    [{ type: 'c.d' }, [], 'svc webhooks list'],
  ])('the text of %j has the details %j', (changes, details, command) => {
    const result = empty(changes);
    expect(result.message).toBe('No delivery matched within 5s.');
    expect([result.details, result.hint?.command]).toEqual([details, command]);
  });
});
