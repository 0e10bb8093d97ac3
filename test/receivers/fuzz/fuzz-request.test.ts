/** The defaults of fuzzing. */
import { describe, expect, it } from 'vitest';
import { type FuzzRequest, resolveFuzzRequest } from '../../../src/receivers/fuzz/fuzz-request.ts';
import type { DeliverySequence } from '../../../src/receivers/sequence.ts';
import { createFixtureProject } from '../../fixtures/fixture-project.ts';

const none: FuzzRequest = {
  ...{ url: 'http://127.0.0.1:1/', runs: undefined, timeMs: undefined, randomSeed: undefined },
  ...{ events: undefined, only: undefined, without: undefined, replay: null, restart: undefined },
};
const replay = { random_seed: 7 } as DeliverySequence;

function resolve(changes: Partial<FuzzRequest>, signal = new AbortController().signal) {
  const { cwd, write } = createFixtureProject();
  const payload = { at: '{{now}}', token: '{{uuid}}', number: '{{sequence}}' };
  write('events/mine.created', { description: '', payload });
  return resolveFuzzRequest({ ...none, ...changes }, { projectFolder: cwd, env: {}, now: () => 0, signal });
}

describe('resolveFuzzRequest', () => {
  it('the number of sequences is 100 by default, and has no limit with a time', () => {
    expect(resolve({})).toMatchObject({ runs: 100, timeMs: null });
    expect(resolve({ timeMs: 5_000 })).toMatchObject({ runs: null, timeMs: 5_000 });
    expect(resolve({ timeMs: 5_000, runs: 3 })).toMatchObject({ runs: 3, timeMs: 5_000 });
  });

  it('the random seed is the given one, that of the replayed sequence, or a random one', () => {
    expect(resolve({ randomSeed: 0, replay }).randomSeed).toBe(0);
    expect(resolve({ replay }).randomSeed).toBe(7);
    const seeds = Array.from({ length: 4 }, () => resolve({}).randomSeed);
    expect(new Set(seeds).size).toBeGreaterThan(1);
    for (const seed of seeds) expect(seed).toSatisfy(Number.isInteger);
  });

  it('the events are those of all fixtures by default, with the same values for the same seed', () => {
    const { events } = resolve({ randomSeed: 1 });
    expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(['mine.created', 'order.shipped']));
    expect(resolve({ randomSeed: 1, events: [] }).events).toEqual(events);
    expect(resolve({ randomSeed: 2 }).events).not.toEqual(events);
  });

  it('an event is a type, whose fixture is filled', () => {
    const { events } = resolve({ events: ['mine.created'] });
    expect(events).toMatchObject([{ type: 'mine.created' }]);
    expect(JSON.parse(events[0]?.payload ?? '')).toMatchObject({ at: '1970-01-01T00:00:00.000Z', number: 1 });
  });

  it('a type without a fixture is an error that names it', () => {
    expect(() => resolve({ events: ['no.such'] })).toThrow(
      expect.objectContaining({ code: 'not_found', message: 'Fixture no.such does not exist.' }),
    );
  });

  it('a restart waits for the function and then for the receiver, until the run is interrupted', async () => {
    expect(resolve({}).restart).toBeNull();
    const log: string[] = [];
    const runEventLoop = () => new Promise((resolve) => setImmediate(resolve));
    /** Nothing listens at the port of the receiver. */
    const start = async (stopped: Promise<void>, { signal }: AbortController) => {
      await resolve({ restart: () => stopped }, signal).restart?.();
      log.push('restarted');
    };
    const interruption = new AbortController();
    const waiting = start(Promise.resolve(), interruption);
    await runEventLoop();
    expect(log).toEqual([]);
    interruption.abort();
    await waiting;
    expect(log).toEqual(['restarted']);
    let stop = () => {};
    const stopping = start(new Promise((resolve) => (stop = resolve)), interruption);
    await runEventLoop();
    expect(log.length).toBe(1);
    stop();
    await stopping;
  });
});
