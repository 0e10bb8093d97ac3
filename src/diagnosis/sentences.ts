/** The sentences of explanations, each with the evidence that it needs. `layers.ts` and `transport-problems.ts` have those of their rows. */
import { quoteForShell } from '../domain/shell.ts';
import type { Hint } from '../errors.ts';

const sentences = {
  unclear: [
    'The response does not say what was rejected: the signature, the data, or the request before your code ran.',
    'status 400, 401 or 403, and no row of the table of layers applies',
  ],
  says: ['It says {says}.', 'a message of a short JSON or text body, or of the beginning of a page'],
  reported_reason: [
    'The response contains {reason}, a reason of svc-emulator/signature.',
    'a message with this word; the name of the mistake is the one that the receiver reports',
  ],
  digest_of_mistake: [
    'The response contains the digest that this mistake produces: {digest}',
    'a digest in the response, which a known mistake produces from this delivery',
  ],
  digest_returned: [
    'It returned the digest that it computed: the verification was reached, and rejected the signature.',
    'a digest of the length that the scheme uses, with a prefix such as v1=, and no other message',
  ],
  digest_unknown: [
    'The response contains the digest {digest}, which no known mistake produces.',
    'a digest of the length that the scheme uses, with a prefix or beside a message that the signature is wrong',
  ],
  digest_sent: [
    'The response contains the digest that was sent. If the receiver computed it, check how it compares it.',
    'the digest of the request in the response, and no other digest',
  ],
  clock_differs: [
    'Its clock is {distance} the clock of the emulator, according to its Date header. The tolerance is {tolerance}.',
    'a Date header that differs by more than the tolerance, and status 400, 401 or 403 without a known layer',
  ],
  clock_agrees: [
    'Its Date header agrees with the clock of the emulator to within {distance}.',
    'a Date header, beside a message that the time of the signature is wrong',
  ],
  probe_found: [
    'A probe of {delivery} found it: the verification rejected the correct signature, and accepted one with this mistake.',
    'a probe; shown until a delivery to the endpoint succeeds, for each attempt with the same status',
  ],
  probe_accepted: ['It accepts the delivery now.', 'a probe: a 2xx response to the correct signature'],
  probe_random_accepted: [
    'It rejects the correct signature and accepts a random one, so its condition is wrong.',
    'a probe: both responses, each of them twice',
  ],
  probe_differs: [
    'It accepts the signature, and fails after that.',
    'a probe: another response to a random signature, each time',
  ],
  probe_time: [
    'It accepts the signature, and then rejects the time: it probably reads the timestamp in another unit, format or time zone.',
    'a probe as above, a message that the time of the signature is wrong, and no Date header with another time',
  ],
  probe_differs_fact: [
    'The response to a random signature differs, each time, so the correct one was accepted.',
    'a probe: another response to a random signature, each time',
  ],
  probe_inconsistent: [
    'The probe shows nothing: the same signature got different responses.',
    'a probe: two responses to the same signature',
  ],
  probe_constant: [
    'Each signature gets the same response, a random one too: the code that verifies was probably not reached, or uses a secret that svc does not know.',
    'a probe: the same response to the correct signature, a random one, and those of all known mistakes',
  ],
  probe_fails: [
    'Each signature gets the same response, a random one too: the code fails before it compares the signature, or rejects the signature with this status.',
    'a probe as above, and a 5xx status',
  ],
  probe_verified: [
    'Its verification rejects the signature of each known mistake too: it uses a secret that svc does not know, or makes another mistake.',
    'a probe as above, and a message that the verification rejected the signature',
  ],
  probe_tried: [
    'The probe sent the correct signature, a random one, and those of {count}.',
    'a probe in which no signature was accepted',
  ],
  probe_stopped: [
    'The probe sent the signatures of {count}, and then stopped: {cause}.',
    'a probe that a limit or a missing response ended',
  ],
} as const satisfies Record<string, readonly [sentence: string, evidence: string]>;

export type SentenceName = keyof typeof sentences;
export const explanationSentences: Readonly<Record<SentenceName, readonly [string, string]>> = sentences;

export function say(name: SentenceName, values: Readonly<Record<string, string | number>> = {}): string {
  return fill(sentences[name][0], values);
}

/** Replaces each `{name}` that has a value. */
export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{([a-z_]+)\}/gi, (placeholder, name: string) => String(values[name] ?? placeholder));
}

/** What to do, with a command in which names such as `{webhook}` are values. */
export interface Fix {
  readonly fix: string;
  readonly command?: string;
}

export function toHint({ fix, command }: Fix, values: Readonly<Record<string, string>>): Hint {
  const text = fill(fix, values);
  if (command === undefined) return { text };
  const quoted = Object.entries(values).map(([name, value]) => [name, quoteForShell(value)]);
  return { text, command: fill(command, Object.fromEntries(quoted)) };
}
