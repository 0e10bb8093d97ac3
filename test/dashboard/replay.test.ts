import { describe, expect, it } from 'vitest';
import type { Attempt, Delivery } from '../../src/contract/delivery-schemas.ts';
import type { StreamItem } from '../../src/contract/stream-schemas.ts';
import {
  defaultOptions,
  findUrlError,
  isUrlValid,
  toReplayChanges,
} from '../../src/dashboard/views/replay/replay-options.ts';
import { findReplayResult, ReplayTally } from '../../src/dashboard/views/replay/replay-tally.ts';
import { SvcError } from '../../src/errors.ts';

let sequence = 0;

function deliveryOf(id: string, fields: Partial<Delivery> = {}): Delivery {
  return { id, status: 'pending', replay_of: null, ...fields } as Delivery;
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

describe('findReplayResult', () => {
  const replay = { delivery: deliveryOf('del_1'), attemptsBefore: 2 };

  it('findReplayResult returns the first attempt after the replay', () => {
    const items = [
      attemptOf(deliveryOf('del_2'), 3),
      attemptOf(replay.delivery, 2, 'timeout'),
      attemptOf(replay.delivery, 3),
      attemptOf(replay.delivery, 4, 'http_error'),
    ];
    expect(findReplayResult(items, replay)?.attempt).toMatchObject({ number: 3, outcome: 'succeeded' });
  });

  it('findReplayResult returns the canceled delivery when no attempt was made', () => {
    const canceled = deliveryOf('del_1', { status: 'canceled' });
    expect(findReplayResult([changeOf(replay.delivery)], replay)).toBeNull();
    expect(findReplayResult([changeOf(canceled)], replay)).toEqual({ delivery: canceled, attempt: null });
  });
});

describe('a replay tally', () => {
  it('a replay tally counts results that arrive before or after the response of the emulator', () => {
    const [first, second] = [deliveryOf('del_1'), deliveryOf('del_2')];
    const tally = new ReplayTally(['del_1', 'del_2']);
    tally.applyItem(attemptOf(first, 2));
    expect(tally.doneCount).toBe(0);
    tally.record({ delivery: first, attemptsBefore: 1 });
    tally.record({ delivery: second, attemptsBefore: 1 });
    tally.applyItem(attemptOf(second, 2, 'http_error'));
    tally.applyItem(attemptOf(second, 3));
    expect(tally).toMatchObject({
      totalCount: 2,
      startedCount: 2,
      doneCount: 2,
      waitingCount: 0,
      succeededCount: 1,
    });
    expect(tally.failures).toMatchObject([{ delivery: { id: 'del_2' }, attempt: { outcome: 'http_error' } }]);
  });

  it('a replay tally counts the new delivery of a replay', () => {
    const copy = deliveryOf('del_9', { replay_of: 'del_1' });
    const tally = new ReplayTally(['del_1']);
    tally.applyItem(attemptOf(copy, 1));
    tally.record({ delivery: copy, attemptsBefore: 0 });
    expect(tally).toMatchObject({ doneCount: 1, succeededCount: 1 });
  });

  it('a replay tally continues after a rejected replay', () => {
    const tally = new ReplayTally(['del_1', 'del_2']);
    const error = new SvcError('conflict', 'Its endpoint has been deleted.');
    tally.record({ id: 'del_1', error });
    tally.record({ delivery: deliveryOf('del_2'), attemptsBefore: 1 });
    expect(tally).toMatchObject({
      startedCount: 2,
      doneCount: 1,
      waitingCount: 1,
      rejections: [{ id: 'del_1', error }],
    });
  });

  it('a replay tally waits for no results after a reset', () => {
    const tally = new ReplayTally(['del_1']);
    tally.record({ delivery: deliveryOf('del_1'), attemptsBefore: 1 });
    tally.applyItem({ type: 'reset', sequence: ++sequence });
    expect(tally).toMatchObject({ waitingCount: 0, succeededCount: 0 });
  });
});

describe('the replay options', () => {
  it('the replay options omit unchanged values', () => {
    expect(toReplayChanges(defaultOptions)).toEqual({});
    expect(toReplayChanges({ isNew: true, url: null, body: '{"n":1e400}' })).toEqual({
      new_id: true,
      body: '{"n":1e400}',
    });
  });

  it('the replay options accept the URL of the endpoint and absolute URLs', () => {
    expect(isUrlValid(defaultOptions)).toBe(true);
    expect(isUrlValid({ ...defaultOptions, url: 'http://localhost:4000/hooks' })).toBe(true);
    expect(isUrlValid({ ...defaultOptions, url: 'localhost:4000' })).toBe(false);
  });

  it.each([
    ['', 'is missing'],
    ['localhost:4000', 'must be an absolute https:// or http:// URL'],
    ['ftp://a.example', 'must be an absolute https:// or http:// URL'],
    ['https:a.example', 'must be an absolute https:// or http:// URL'],
    ['http://', 'must be an absolute https:// or http:// URL'],
    ['http://a.example:x', 'must be an absolute https:// or http:// URL'],
  ])('the replay options reject the URL %j, because it %s', (text, problem) => {
    expect(findUrlError(text)).toBe(problem);
  });
});
