import type { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { senders } from '../../src/profile/senders.ts';
import type { DeliverySequence, SequenceStep } from '../../src/receivers/sequence.ts';
import { createReceiver } from '../support/test-receiver.ts';
import { startConfigurableReceiver } from './configurable-receiver.ts';
import { fuzzReceiver } from './fuzz/fuzz-receiver.ts';

const event = { type: 'order.shipped', payload: '{}' };

function createSequence(...steps: SequenceStep[]): DeliverySequence {
  return { version: 1, random_seed: 1, run: null, events: [event, event], steps };
}

it('deliveries and attacks that fail while the receiver is restarted are sent again afterwards', async () => {
  const requestsDuringRestart = 7;
  let remaining = 0;
  let finishRestart = () => {};
  await using receiver = await startConfigurableReceiver({
    async readBody(request) {
      const body = await buffer(request);
      if (remaining === 0) return body;
      if (--remaining === 0) finishRestart();
      // The receiver responds with 500.
      throw new Error('The receiver is being restarted.');
    },
  });
  const { failure, requests } = await fuzzReceiver({
    url: receiver.url,
    readSideEffects: receiver.readSideEffects,
    restart() {
      remaining = requestsDuringRestart;
      return new Promise((resolve) => {
        finishRestart = resolve;
      });
    },
    replay: createSequence(
      { kind: 'restart' },
      { kind: 'burst', count: 5, with_previous: true },
      { kind: 'deliver', event: 0, with_previous: true },
      { kind: 'attack', attack: 'forged', event: 1, with_previous: true },
    ),
  });
  expect(failure).toBeNull();
  // A first delivery, and three plays that send each request twice and a delivery at the end.
  expect(requests).toBe(1 + 3 * (2 * requestsDuringRestart + 1));
});

it('kept connections are used by the deliveries that follow, and closed before a delivery on a connection of its own', async () => {
  const requestCounts = new Map<Socket, number>();
  await using receiver = await startConfigurableReceiver({
    readBody(request) {
      requestCounts.set(request.socket, (requestCounts.get(request.socket) ?? 0) + 1);
      return buffer(request);
    },
  });
  const { failure } = await fuzzReceiver({
    url: receiver.url,
    readSideEffects: null,
    replay: createSequence(
      { kind: 'deliver', event: 0, keep_connection: true },
      { kind: 'deliver', event: 0, keep_connection: true },
      { kind: 'deliver', event: 0 },
      { kind: 'deliver', event: 0, keep_connection: true },
      { kind: 'deliver', event: 0 },
    ),
  });
  expect(failure).toBeNull();
  // After a first delivery, in the first of three plays.
  expect([...requestCounts.values()].slice(1, 5)).toEqual([2, 1, 1, 1]);
});

it('an attempt after a reset connection says why it follows, in the words of Slack', async () => {
  await using receiver = await createReceiver([{ drop: true }, 200]);
  const { failure } = await fuzzReceiver({
    url: receiver.url,
    readSideEffects: null,
    sender: senders.slack,
    replay: createSequence({ kind: 'deliver', event: 0 }),
  });
  expect(failure).toBeNull();
  const [first, second] = receiver.requests.map(({ headers }) => headers['x-slack-retry-reason']);
  expect([first, second]).toEqual([undefined, 'connection_failed']);
});
