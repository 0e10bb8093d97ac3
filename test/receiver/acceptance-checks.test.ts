import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { verify } from '../../src/signature.ts';
import { createReceiver } from '../support/test-receiver.ts';
import { checkReceiver } from './check-receiver.ts';
import { SECRET } from './configurable-receiver.ts';

/** Neither slow nor quick work for the checks of these tests. */
const RESPONSE_MS = 300;
/** One delivery tests the effect count, and three measure the response time. Those that show the order come later. */
const EARLIER_DELIVERIES = 4;

/**
 * Checks a receiver that responds to valid deliveries after 300 ms. Its worker takes an event from the queue when the effects
 * have been read once after the response.
 * @param earlyEffects for how many deliveries the worker is quicker than the response
 */
async function checkOrder(earlyEffects: number) {
  let [effects, queued, deliveries] = [0, 0, 0];
  await using receiver = await createReceiver(({ headers, body }) => {
    const get = (name: string) => headers[name] as string | undefined;
    const [signature, timestamp] = [get('service-signature'), get('service-timestamp')];
    if (!verify({ secret: SECRET, payload: body, signature, timestamp }).ok) return { status: 400 };
    if (++deliveries <= earlyEffects) effects++;
    else queued++;
    return { status: 204, after: sleep(RESPONSE_MS) };
  });
  const { checks } = await checkReceiver({
    url: receiver.url,
    only: ['acceptance.before-work'],
    async countEffects() {
      const count = effects;
      effects += queued;
      queued = 0;
      return count;
    },
  });
  return checks[0];
}

describe('acceptance.before-work', { concurrent: true, timeout: 30_000 }, () => {
  it('acceptance.before-work passes if a worker was quicker than the response by chance, and later was not [§6.5]', async () => {
    expect(await checkOrder(EARLIER_DELIVERIES + 2)).toMatchObject({
      status: 'passed',
      meaning: 'The effect follows the response.',
    });
  });

  it('acceptance.before-work is not observable if each effect exists when the response arrives [§6.5]', async () => {
    expect(await checkOrder(EARLIER_DELIVERIES + 3)).toMatchObject({
      status: 'not_observable',
      meaning: expect.stringContaining('The effect was already there when the response arrived.'),
    });
  });
});
