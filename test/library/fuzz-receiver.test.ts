import { describe, expect, it } from 'vitest';
import { type FuzzReceiverOptions, fuzzReceiver, type ReceivedRequest } from '../../src/index.ts';
import { verify } from '../../src/signature.ts';
import { createReceiver } from '../support/test-receiver.ts';

const secret = 'whsec_c3ZjLWV4cGxvcmU';

/** A receiver that lists its side effects. `isNew` decides whether an event has one. */
async function startReceiver(isNew: (id: string, sideEffects: readonly string[]) => boolean) {
  const sideEffects: string[] = [];
  const respond = ({ headers, body, eventId }: ReceivedRequest) => {
    const get = (name: string) => headers[name] as string | undefined;
    const [signature, timestamp] = [get('service-signature'), get('service-timestamp')];
    if (!verify({ secret, payload: body, signature, timestamp }).ok) return 400;
    if (eventId !== null && isNew(eventId, sideEffects)) sideEffects.push(eventId);
    return 204;
  };
  const receiver = await createReceiver(respond);
  return { sideEffects, url: receiver.url, [Symbol.asyncDispose]: () => receiver.close() };
}

const options = {
  secret,
  randomSeed: 1,
  runs: 10,
  only: ['duplicate', 'forged'],
  events: ['order.shipped', { type: 'parcel.lost', payload: { parcel: 1 } }],
} satisfies FuzzReceiverOptions;

describe('fuzzReceiver', () => {
  it('a correct receiver breaks no rule', async () => {
    await using receiver = await startReceiver((id, sideEffects) => !sideEffects.includes(id));
    const report = await fuzzReceiver(receiver.url, { ...options, observe: () => receiver.sideEffects });
    expect(report).toMatchObject({ ok: true, random_seed: 1, runs: 10, side_effects: 'ids', failure: null });
    expect([...report.variations].sort()).toEqual(['duplicate', 'forged']);
  });

  it('a receiver that does not deduplicate fails, and its sequence can be played again', async () => {
    await using receiver = await startReceiver(() => true);
    const phases = new Set<string>();
    const { failure } = await fuzzReceiver(receiver.url, {
      ...options,
      observe: () => receiver.sideEffects.length,
      onProgress: ({ phase }) => phases.add(phase),
    });
    expect(failure).toMatchObject({
      rule: 'once',
      message: '2 side effects instead of 1.',
      failed: 3,
      played: 3,
      steps: [{ sent: expect.stringMatching(/^deliver event 1/) }, { sent: expect.stringMatching(/ again/) }],
    });
    expect([...phases]).toEqual(['searching', 'shrinking', 'confirming']);

    const replay = failure?.sequence ?? {};
    const observe = () => receiver.sideEffects;
    expect(await fuzzReceiver(receiver.url, { secret, observe, replay })).toMatchObject({
      ok: false,
      runs: 1,
      failure: { rule: 'once', message: expect.stringMatching(/^Event 1 \(.*\) has 2 side effects\.$/) },
    });
  });

  it.each<readonly [object, string]>([
    [{ only: ['dublicate'] }, 'Variation dublicate does not exist.'],
    [{ replay: { version: 1 } }, 'options.replay is not a delivery sequence'],
    [{ events: ['parcel.lost'] }, 'Fixture parcel.lost does not exist.'],
    [{ secret: '' }, 'fuzzReceiver: the secret is missing.'],
  ])('the options %j are rejected', async (changes, message) => {
    await expect(fuzzReceiver('http://127.0.0.1:9/', { ...options, ...changes })).rejects.toThrow(message);
  });

  it('a function observe must return a number or IDs', async () => {
    await using receiver = await startReceiver(() => true);
    const observe = (() => 'three') as never;
    await expect(fuzzReceiver(receiver.url, { ...options, observe })).rejects.toThrow(
      'the function observe must return a number or an array of IDs',
    );
  });
});
