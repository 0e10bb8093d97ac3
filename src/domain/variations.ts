/** The limits of fuzzing, and what a delivery sequence can contain. */

import { SECOND_MS } from './duration.ts';
import { SvcError } from './errors.ts';
import { suggestMatch } from './message-parts.ts';

/** Time limit for a response or a side effect of a receiver: that of deliveries (gap `delivery.timeout`). */
export const RECEIVER_TIMEOUT_MS = 15 * SECOND_MS;
/** Number of sequences, if neither their number nor a time is given. */
export const DEFAULT_RUNS = 100;
export const MAX_RUNS = 1_000_000;
/** The generator of sequences uses its seed as a signed 32-bit number. */
export const MAX_SEED = 2 ** 31 - 1;

/** Deliveries that a receiver must reject. `svc receiver check` sends them too, if the signature scheme allows them. */
export const attacks = {
  forged: 'a delivery signed with another secret',
  altered: 'a delivery whose body was changed after signing',
  'missing-signature': 'a delivery without a signature header',
  'empty-signature': 'a delivery with an empty signature header',
  'missing-digest': 'a signature header without the digest',
  'truncated-signature': 'the first half of the valid signature',
  'prefixed-signature': 'the valid signature with extra characters in front',
  'suffixed-signature': 'the valid signature, followed by other characters',
  'non-ascii-signature': 'the valid signature with a character outside ASCII',
  'missing-version': 'the valid signature without its version',
  'other-version': 'the valid signature with another version',
  'empty-body-signature': 'a delivery with the signature of an empty body',
  'doubled-signature': 'a delivery with two signature headers, each signed with another secret',
  'missing-timestamp': 'a delivery without a timestamp header',
  stale: 'a correctly signed delivery that is six minutes old',
  'slightly-stale': 'a correctly signed delivery that is 5 min 10 s old',
  'unreadable-timestamp': 'a correctly signed delivery with "not-a-time" as its timestamp',
  future: 'a correctly signed delivery from seven minutes in the future',
  replayed: 'an old delivery whose timestamp was set to now',
  'unsigned-timestamp': 'a signature over the body, without the timestamp',
  'doubled-timestamp': 'an old delivery with two timestamp headers, the old time and now',
} as const;
export type AttackName = keyof typeof attacks;
export const attackNames = Object.keys(attacks) as AttackName[];

/** How the service and the network deliver events. */
const deliveryVariations = {
  duplicate: 'an event that is delivered again, in the same or another delivery',
  concurrent: 'a delivery that starts at the same time as the one before',
  reordered: 'events that arrive out of order',
  'lost-response': 'a delivery whose response is lost, so that it is sent again',
  'cut-request': 'a request that is cut off in the middle and sent again',
  'slow-body': 'a request body that arrives in parts',
  'kept-connection': 'a delivery on a reused connection',
  burst: 'up to 150 other events, many of them at the same time',
} as const;

/** Events that receivers often do not expect. */
const eventVariations = {
  'old-event': 'an event that was created days ago and is signed now',
  payload: 'an unusual payload: Unicode, large numbers, deep nesting, 200 KB, or nothing',
  'unknown-type': 'an event of a type that the receiver does not know',
} as const;

/** What happens to the receiver itself. */
const receiverVariations = { restart: 'a restart of the receiver, with the restart command' } as const;

/** Everything that a sequence can contain besides deliveries of new events, one after the other. */
export const variations = {
  ...deliveryVariations,
  ...eventVariations,
  ...receiverVariations,
  ...attacks,
};
export type Variation = keyof typeof variations;
export const variationNames = Object.keys(variations) as Variation[];

/**
 * The variations in `only`, or all if it is empty, except those in `without`.
 * @throws SvcError `usage` for an unknown name
 */
export function selectVariations(
  only: readonly string[] = [],
  without: readonly string[] = [],
): ReadonlySet<Variation> {
  const names: readonly string[] = variationNames;
  const unknownName = [...only, ...without].find((name) => !names.includes(name));
  if (unknownName !== undefined) {
    throw new SvcError('usage', `Variation ${unknownName} does not exist.`, {
      hint: suggestMatch(unknownName, names) ?? `Use one of: ${names.join(', ')}.`,
    });
  }
  return new Set(
    variationNames.filter((name) => (only.length === 0 || only.includes(name)) && !without.includes(name)),
  );
}
