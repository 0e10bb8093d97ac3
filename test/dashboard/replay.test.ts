import { describe, expect, it } from 'vitest';
import type { Attempt, Delivery } from '../../src/contract/delivery-schemas.ts';
import type { StreamItem } from '../../src/contract/stream-schemas.ts';
import {
  areValid,
  defaultOptions,
  findUrlProblem,
  toReplayChanges,
} from '../../src/dashboard/views/replay/replay-options.ts';
import { findReplayResult } from '../../src/dashboard/views/replay/replay-result.ts';
import { ReplayTally } from '../../src/dashboard/views/replay/replay-tally.ts';
import { SvcError } from '../../src/errors.ts';

let sequence = 0;

function deliveryOf(id: string, members: Partial<Delivery> = {}): Delivery {
  return { id, status: 'pending', replay_of: null, ...members } as Delivery;
}

function attemptOf(
  delivery: Delivery,
  number: number,
  outcome: Attempt['outcome'] = 'succeeded',
): StreamItem {
  const attempt = { number, outcome, response_status: 200, duration_ms: 3, error: null } as Attempt;
  return { type: 'attempt', sequence: ++sequence, attempt, delivery };
}

function changeOf(delivery: Delivery): StreamItem {
  return { type: 'delivery', sequence: ++sequence, delivery };
}

describe('the answer to a replay', () => {
  const replay = { delivery: deliveryOf('del_1'), attemptsBefore: 2 };

  it('is the first attempt after those that there were', () => {
    const items = [
      attemptOf(deliveryOf('del_2'), 3),
      attemptOf(replay.delivery, 2, 'timeout'),
      attemptOf(replay.delivery, 3),
      attemptOf(replay.delivery, 4, 'http_error'),
    ];
    expect(findReplayResult(items, replay)?.attempt).toMatchObject({ number: 3, outcome: 'succeeded' });
  });

  it('is the end of the delivery where it is canceled first', () => {
    const canceled = deliveryOf('del_1', { status: 'canceled' });
    expect(findReplayResult([changeOf(replay.delivery)], replay)).toBeNull();
    expect(findReplayResult([changeOf(canceled)], replay)).toEqual({ delivery: canceled, attempt: null });
  });
});

describe('many replays', () => {
  it('are counted by what the receivers say, whichever comes first: that, or the answer of the emulator', () => {
    const [first, second] = [deliveryOf('del_1'), deliveryOf('del_2')];
    const tally = new ReplayTally(['del_1', 'del_2']);
    tally.applyItem(attemptOf(first, 2));
    expect(tally.done).toBe(0);
    tally.record({ delivery: first, attemptsBefore: 1 });
    tally.record({ delivery: second, attemptsBefore: 1 });
    tally.applyItem(attemptOf(second, 2, 'http_error'));
    tally.applyItem(attemptOf(second, 3));
    expect(tally).toMatchObject({ total: 2, started: 2, done: 2, waiting: 0, succeeded: 1 });
    expect(tally.failures).toMatchObject([{ delivery: { id: 'del_2' }, attempt: { outcome: 'http_error' } }]);
  });

  it('count the new delivery where one was made', () => {
    const copy = deliveryOf('del_9', { replay_of: 'del_1' });
    const tally = new ReplayTally(['del_1']);
    tally.applyItem(attemptOf(copy, 1));
    tally.record({ delivery: copy, attemptsBefore: 0 });
    expect(tally).toMatchObject({ done: 1, succeeded: 1 });
  });

  it('go on after one that is refused', () => {
    const tally = new ReplayTally(['del_1', 'del_2']);
    const error = new SvcError('conflict', 'Its endpoint has been deleted.');
    tally.record({ id: 'del_1', error });
    tally.record({ delivery: deliveryOf('del_2'), attemptsBefore: 1 });
    expect(tally).toMatchObject({ started: 2, done: 1, waiting: 1, refusals: [{ id: 'del_1', error }] });
  });

  it('wait for no answer once the emulator has been reset', () => {
    const tally = new ReplayTally(['del_1']);
    tally.record({ delivery: deliveryOf('del_1'), attemptsBefore: 1 });
    tally.applyItem({ type: 'reset', sequence: ++sequence });
    expect(tally).toMatchObject({ waiting: 0, succeeded: 0 });
  });
});

describe('how a replay is to differ', () => {
  it('says nothing of what stays as it is', () => {
    expect(toReplayChanges(defaultOptions)).toEqual({});
    expect(toReplayChanges({ isNew: true, url: null, body: '{"n":1e400}' })).toEqual({
      ...{ new_id: true, body: '{"n":1e400}' },
    });
  });

  it('is complete when its address and its body can be sent', () => {
    expect(areValid(defaultOptions)).toBe(true);
    expect(areValid({ isNew: true, url: 'http://localhost:4000/hooks', body: '{}' })).toBe(true);
    expect(areValid({ isNew: true, url: null, body: '{"a":}' })).toBe(false);
    expect(areValid({ isNew: true, url: 'localhost:4000', body: null })).toBe(false);
  });

  it.each(['', 'localhost:4000', 'ftp://a.example', 'https:a.example', 'http://'])(
    'does not take %j for an address',
    (text) => {
      expect(findUrlProblem(text)).not.toBeNull();
    },
  );
});
