import { createWebhookSecret } from '../../domain/secret.ts';
import type { Bench } from '../bench.ts';
import { type Check, failed, notObservable, passed, type Verdict } from '../check.ts';
import type { Message } from '../courier.ts';
import type { Effects } from '../effects.ts';

const SAMPLES = 3;

/**
 * The answer comes before the work (§6.5 of the service description). Work that is slow shows in how long the answer
 * takes, beside that to a forged delivery, on which nothing is done. Whether fast work comes before the answer or after
 * it cannot be seen from outside, unless its effect is seen to come later.
 */
export const acceptanceChecks: readonly Check[] = [
  {
    id: 'acceptance.before-work',
    rule: 'acceptance',
    sent: `${SAMPLES} genuine deliveries, and as many that are forged`,
    async run(bench) {
      const { forge } = bench;
      const acceptedMs = await shortestAnswer(bench, () => forge.genuine());
      const refusedMs = await shortestAnswer(bench, () =>
        forge.sign(forge.createBody(), { secrets: [createWebhookSecret()] }),
      );
      const received = `answers after ${acceptedMs} ms, to what is forged after ${refusedMs} ms`;
      if (acceptedMs - refusedMs >= bench.slowMs) {
        return failed(
          received,
          'It answers when the work is done: accept the delivery, answer, and work then.',
        );
      }
      const effects = await bench.effects();
      return 'why' in effects
        ? notObservable(received, `The work may be fast, or come later. ${effects.why}`)
        : watchOrder(received, effects, bench);
    },
  },
];

/** In milliseconds. The shortest of several has the least of the noise in it. */
async function shortestAnswer(bench: Bench, make: () => Message): Promise<number> {
  let shortestMs = Number.POSITIVE_INFINITY;
  for (let sample = 0; sample < SAMPLES; sample++) {
    shortestMs = Math.min(shortestMs, (await bench.send(make())).durationMs);
  }
  return shortestMs;
}

async function watchOrder(received: string, effects: Effects, bench: Bench): Promise<Verdict> {
  const before = await effects.settle();
  await bench.send(bench.forge.genuine());
  if ((await effects.count()) > before) {
    return notObservable(
      received,
      'The work is too fast to tell: let it take a second while this check runs.',
    );
  }
  return (await effects.waitForRise(before))
    ? passed(received, 'The effect comes after the answer.')
    : notObservable(received, 'No effect came of the delivery in time.');
}
