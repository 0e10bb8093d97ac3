import { describe, expect, it } from 'vitest';
import {
  countPaused,
  describePaused,
  describeStalled,
  describeTooFew,
  describeUnsettled,
  findNextAttempt,
} from '../../../src/client/texts/describe-unsettled.ts';
import type { Delivery } from '../../../src/contract/delivery-schemas.ts';
import { aDelivery, clockAt, NOW } from '../../cli/fake-context.ts';

const pending = (id: string) => aDelivery({ id });
const paused = (id: string, webhook_id = 'wh_1') =>
  aDelivery({ id, webhook_id, paused: true, next_attempt_at: null });

describe('messages about unsettled deliveries', () => {
  it.each<[string, Delivery[]]>([
    ['1 delivery has not settled after 30s.', [pending('del_1')]],
    ['2 deliveries have not settled after 30s.', [pending('del_1'), pending('del_2')]],
    [
      '2 deliveries have not settled after 30s. 1 delivery is paused: wh_1 is disabled.',
      [pending('del_1'), paused('del_2')],
    ],
    ['1 delivery is paused: wh_1 is disabled.', [paused('del_1')]],
    ['2 deliveries are paused: wh_1 is disabled.', [paused('del_1'), paused('del_2')]],
    ['2 deliveries are paused: wh_1, wh_2 are disabled.', [paused('del_1'), paused('del_2', 'wh_2')]],
  ])('describeUnsettled returns "%s"', (message, deliveries) => {
    expect(describeUnsettled(deliveries, 30_000)).toBe(message);
  });

  it.each([
    ['1 delivery cannot settle within 30s: the next attempt is due in 5m, and the clock is frozen.', 0, []],
    ['1 delivery cannot settle within 30s: the next attempt is due in 5m.', 1, []],
    ['1 delivery cannot settle within 30s: the next attempt is due in 5m, at speed 2.', 2, []],
    [
      '2 deliveries cannot settle within 30s: the next attempt is due in 5m. 1 delivery is paused: wh_1 is disabled.',
      1,
      [paused('del_2')],
    ],
    ['1 delivery is paused: wh_1 is disabled.', null, []],
  ])('describeStalled returns "%s" at speed %s', (message, speed, others) => {
    const next = speed === null ? null : { workspaceId: 'ws_1', now: NOW, dueIn: '5m', speed };
    const first = speed === null ? paused('del_1') : pending('del_1');
    expect(describeStalled([first, ...others], next, 30_000)).toBe(message);
  });

  it.each([
    ['No delivery matched within 1m.', 0, 3],
    ['Only 1 of 3 deliveries settled within 1m.', 1, 3],
  ])('describeTooFew returns "%s"', (message, settledCount, count) => {
    expect(describeTooFew(settledCount, count, 60_000)).toBe(message);
  });

  it('describePaused counts the paused deliveries of each endpoint, and names the first five endpoints', () => {
    const deliveries = [1, 2, 3, 4, 5, 6, 7].map((number) => paused(`del_${number}`, `wh_${number}`));
    const counted = countPaused([...deliveries, paused('del_8'), pending('del_9')]);
    expect(counted.map(({ deliveries: count }) => count)).toEqual([2, 1, 1, 1, 1, 1, 1]);
    expect(describePaused(counted)).toBe(
      '8 deliveries are paused: wh_1, wh_2, wh_3, wh_4, wh_5, … and 2 more are disabled.',
    );
  });

  it.each([
    [5, 'wh_5, wh_4, wh_3, wh_2, wh_1'],
    [6, 'wh_6, wh_5, wh_4, wh_3, wh_2, … and 1 more'],
  ])('describePaused lists at most five endpoints: %d', (count, ids) => {
    const endpoints = Array.from({ length: count }, (_, index) => ({
      webhook_id: `wh_${count - index}`,
      deliveries: 1,
    }));
    expect(describePaused(endpoints)).toBe(`${count} deliveries are paused: ${ids} are disabled.`);
  });
});

describe('findNextAttempt', () => {
  const dueAt = (ms: number, workspace_id: string) =>
    aDelivery({ workspace_id, next_attempt_at: new Date(NOW + ms).toISOString() });

  it('findNextAttempt returns the earliest attempt by the clock of its workspace, and ignores paused deliveries', async () => {
    const deliveries = [
      dueAt(90_000, 'ws_1'),
      { ...dueAt(1, 'ws_2'), paused: true },
      dueAt(30_000, 'ws_3'),
      aDelivery({ next_attempt_at: null }),
      dueAt(60_000, 'ws_4'),
    ];
    expect(await findNextAttempt(deliveries, clockAt())).toEqual({
      workspaceId: 'ws_3',
      now: NOW,
      dueIn: '30s',
      speed: 1,
    });
    expect(await findNextAttempt([aDelivery({ next_attempt_at: null })], clockAt())).toBeNull();
  });

  it.each([
    [-1, '0ms'],
    [0, '0ms'],
    [1, '1s'],
    [1_000, '1s'],
    [1_001, '2s'],
  ])('findNextAttempt rounds the time until an attempt in %d ms up to "%s"', async (ms, dueIn) => {
    expect(await findNextAttempt([dueAt(ms, 'ws_1')], clockAt())).toMatchObject({ dueIn });
  });
});
