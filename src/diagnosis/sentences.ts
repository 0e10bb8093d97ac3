/** The sentences of explanations, each with the evidence that it needs, and with what to do. `layers.ts` and `transport-problems.ts` have those of their rows. */

import type { AttemptCause } from '../domain/causes.ts';
import type { AttemptOutcome } from '../domain/delivery.ts';
import type { Hint } from '../domain/errors.ts';
import { quoteForShell } from '../domain/shell.ts';
import type { Explanation } from '../operations/explanation-schemas.ts';

/** What is known about an attempt, or what one kind of evidence shows about it. */
export type Judgment = Omit<Explanation, 'delivery' | 'attempt' | 'summary' | 'finding' | 'steps'>;
/** Defaults of a judgment without further evidence. */
export const emptyJudgment: Pick<Judgment, 'certainty' | 'layer' | 'mistake' | 'evidence'> = {
  certainty: 'certain',
  layer: null,
  mistake: null,
  evidence: [],
};

const sentences = {
  returned: ['Your receiver returned {status}.', 'a response to an attempt that was sent'],
  changed_request: [
    'The injected fault {kind} ({fault}) had changed the request.',
    'a fault that makes an attempt invalid, and a 4xx or 5xx response',
  ],
  accepted_invalid: [
    'The receiver accepted an attempt that the injected fault {kind} had made invalid.',
    'a fault that makes an attempt invalid, and a 2xx response',
  ],
  in_progress: [
    'The first attempt is due: the receiver has not responded yet, or other attempts to the endpoint are in progress.',
    'no attempt has a result, and the due time has passed',
  ],
  unclear: [
    'The response does not say what was rejected: the signature, the data, or the request before your code ran.',
    '400, 401 or 403, and no row above applies',
    'Probe the receiver to find out what it rejects. Look for an authentication middleware or a list of allowed IP addresses in front of it. If it verifies signatures, check that it uses {secret}.',
  ],
  says: ['It says {says}.', 'a message'],
  already_recorded: [
    'It probably recorded the event at attempt {earlier} ({result}), and rejects it as a duplicate. svc retries after a 409.',
    'a 409 response, and an earlier valid attempt that was sent: without a response, or with a 2xx or a 5xx status of no known layer',
    'Return 2xx for an event that you have already recorded.',
  ],
  digest_of_mistake: [
    'The response contains the digest that this mistake produces: {digest}',
    'a digest that a known mistake produces from this delivery',
  ],
  digest_returned: [
    'It returned the digest that it computed: the verification was reached, and rejected the signature.',
    "only a digest of the scheme's length, with a prefix such as v1=",
  ],
  digest_unknown: [
    'The response contains the digest {digest}, which no known mistake produces.',
    'a digest of that length, with a prefix or beside a message that the signature is wrong',
    'Check that the receiver uses {secret}.',
  ],
  clock_differs: [
    'Its clock is {distance} the clock of the emulator, according to its Date header. The tolerance is {tolerance}.',
    'a Date header that differs by more than the tolerance; 400, 401 or 403 without a known layer',
    'Synchronize the clock of the receiver with the clock of the emulator.',
  ],
  probe_found: [
    'A probe of {delivery} found it: the verification rejected the correct signature, and accepted one with this mistake.',
    'a probe; shown for attempts with the same status until a delivery to the endpoint succeeds',
  ],
  probe_accepted: [
    "It accepts the delivery now. If you haven't changed it since then, it fails only sometimes: for some digests or times, by state that it keeps, or in one of several processes.",
    'a probe: a 2xx response to the correct signature',
  ],
  probe_random_accepted: [
    'It rejects the correct signature and accepts a random one, so its condition is wrong.',
    'a probe: both responses, each of them twice',
    'Correct the condition: accept the delivery only if the signature matches.',
  ],
  probe_unreadable_accepted: [
    'It accepts a timestamp that is not a time, and rejects the correct one: it computes the age incorrectly, and does not check that the result is a number.',
    'a probe: a 2xx response to a correct signature of the timestamp "not a time"',
    'Compute the age in one unit, in UTC, and reject a timestamp that cannot be read.',
  ],
  probe_differs: [
    'It accepts the signature, and fails after that.',
    'a probe: another response to a random signature, each time',
    'Read the response and the log of the receiver to find out what it does after the verification.',
  ],
  probe_time: [
    'It accepts the signature, and then rejects the time: it probably reads the timestamp in another unit, format or time zone.',
    'a probe as above, a message that the time of the signature is wrong, and no Date header with another time',
    'Compare the timestamp {timestamp} with the current time in the same unit and time zone.',
  ],
  probe_differs_fact: [
    'Both times, a random signature got a different response, so the correct one was accepted.',
    'a probe: another response to a random signature, each time',
  ],
  probe_inconsistent: [
    'It responds differently to requests that are signed in the same way: it keeps state between requests, limits failed attempts, fails for some digests or times, or several processes respond.',
    'a probe: two responses to the same signature, to the correct one at another time, or to one mistake with another timestamp',
    'Look for what the receiver keeps between requests, such as one HMAC object or one regular expression with the flag g for all of them, for a limit of failed attempts, and for how it writes and compares the digest: hex without leading zeros, a signed number, or a function that also removes digits, such as ltrim. If several processes respond, check that they have the same secret and code.',
  ],
  probe_digests: [
    'It rejects the signatures whose digest begins with {start}, and accepts others.',
    'a probe of correct signatures: three or four whose digests begin like the rejected one, all rejected, and as many others that are older, all accepted',
    'Check how the receiver removes the prefix of the signature: lstrip (Python), ltrim (PHP) and TrimLeft (Go) remove any of the given characters, also the first ones of the digest. Use removeprefix, substr or TrimPrefix. Check also that the digest keeps zeros at the beginning.',
  ],
  probe_constant: [
    'Every signature gets the same response, even a random one: the code that verifies was probably not reached, the data are rejected, or it uses a secret or makes a mistake that svc does not know.',
    'a probe: one response to the correct signature, at the beginning and at the end, a random one, and all known mistakes',
    'Log the request in the first line of your handler. If it is not reached, look for an authentication middleware, a validation, or a list of allowed addresses or hosts. If it is, compare the secret with {secret}, the body with the one sent, and the digest with the header.',
  ],
  probe_varies: [
    'It reads the signature or the timestamp, and accepts none that svc knows: it makes another mistake, uses another secret, compares the digest incorrectly, or fails after the verification and responds in the same way.',
    'a probe: one response to the correct signature and a random one, and another to a known mistake, twice; not 429 or 431',
    'Log the digest that the receiver computes, and check it. If it is correct, check the comparison: == compares objects in Java, and bytes are never equal to text in Python.',
  ],
  probe_fails: [
    'Every signature gets the same response, even a random one: your code fails before it compares the signature, or rejects signatures with this status.',
    'a probe as above, and a 5xx status',
    'Read the log of the receiver. If the error is in the verification, check that its secret is set, and that it gets the raw body and each header as text.',
  ],
  probe_verified: [
    'Every signature gets this response, even a random one: it uses a secret that svc does not know, makes another mistake, limits failed attempts, or fails after the verification and responds in the same way.',
    'a probe as above, and a message that the verification rejected the signature',
    'Compare the secret of the receiver with {secret}. If they are the same, log each error that the handler catches, and the digest that it computes, and check the digest.',
  ],
  probe_tried: [
    'The probe sent the correct signature, a random one, and those of {count}.',
    'a probe in which no signature was accepted',
  ],
  probe_other: ['Some of these signatures and timestamps got another response: {other}.', 'a probe as above'],
  probe_not_sent: [
    'No probe was sent: something other than the signature explains this result.',
    '`--probe` for a delivery that was not rejected',
  ],
  probe_no_response: [
    'The probe sent the signatures of {count}, and then the receiver did not respond.',
    'a probe without a response',
    'Find out why the receiver stopped responding, and probe it again.',
  ],
  probe_rate_limit: [
    'The probe sent the signatures of {count}, and then the receiver returned 429.',
    'a probe that got a 429 response',
    'Turn off the rate limit of the receiver, and probe it again.',
  ],
  probe_time_limit: [
    'The probe sent the signatures of {count}, and then stopped after {limit}.',
    'a probe at its time limit',
    'Find out why the receiver is slow, and probe it again.',
  ],
  probe_large_body: [
    'The probe sent the signatures of {count}, and then stopped, because the body is large.',
    'a probe of a body of more than 64 KiB: it tries 40 mistakes',
    'Trigger an event with a small payload, and probe its delivery. If the receiver accepts it, the size matters: check the body limit, and whether each chunk of the body is decoded on its own.',
  ],
} satisfies Record<string, Sentence>;
type Sentence = readonly [sentence: string, evidence: string, fix?: string];
export type SentenceName = keyof typeof sentences;
export const explanationSentences: Readonly<Record<SentenceName, Sentence>> = sentences;

/** What to do, with a command in which names such as `{webhook}` are values. */
export interface Fix {
  readonly fix: string;
  readonly command?: string | undefined;
}

export const UPDATE = 'svc webhooks update {webhook} --url URL';

/** What an attempt ended with: its cause, or the outcome of a connection. */
export type FixableCause = AttemptCause | AttemptOutcome | 'ended_fault';

/** What to do if nothing more is known. */
export const causeFixes: Readonly<Partial<Record<FixableCause, Fix>>> = {
  accepted_invalid: {
    fix: 'The receiver accepted an invalid delivery. Check it',
    command: 'svc receiver check {url} --secret SECRET',
  },
  injected_fault: {
    fix: 'Remove the injected fault ({kind}) that caused this failure',
    command: 'svc faults clear {fault}',
  },
  ended_fault: {
    fix: 'The injected fault ({kind}) no longer applies. Replay the delivery',
    command: 'svc deliveries replay {delivery} --wait',
  },
  redirect: {
    fix: 'Find out why the receiver redirects: it may require a sign-in. If it expects deliveries at the target, register it',
    command: 'svc webhooks update {webhook} --url {location}',
  },
  wrong_path: {
    fix: 'Check the path of the endpoint URL. If it is correct, read the log of your receiver and of what is in front of it. If it is wrong, change it',
    command: UPDATE,
  },
  rate_limited: {
    fix: 'Raise the rate limit of the receiver, or replay failed deliveries at a lower rate',
    command: 'svc deliveries replay --failed --rate 5/s',
  },
  rejected: {
    fix: 'Read the response and the log of the receiver to find out why it rejected the delivery.',
  },
  receiver_error: { fix: 'Read the response and the log of the receiver to find the error.' },
  timeout: {
    fix: 'Return a 2xx response as soon as you have stored the delivery, and process it later. If the receiver never responds, look for a branch without a response, for a response that is never ended, or for code that waits for a body that was already read, or for the end of the connection.',
  },
  connection_error: { fix: 'Start or fix the receiver, or change the endpoint URL', command: UPDATE },
  dns_error: { fix: 'Correct the host name', command: UPDATE },
  blocked: { fix: 'svc never connects to this address. Change the endpoint URL', command: UPDATE },
};

/** The next steps for every delivery. The dashboard and the MCP tools omit those for actions that they offer. */
const nextSteps = {
  enable: { fix: 'Enable the endpoint', command: 'svc webhooks update {webhook} --enable' },
  next: { fix: 'Send the next due delivery', command: 'svc clock next' },
  probe: { fix: 'Find the mistake', command: 'svc explain {delivery} --probe' },
  register: {
    fix: 'The endpoint was deleted. Register it and create the event again',
    command: 'svc webhooks create --url {url} --events {type}',
  },
  replay: { fix: 'Replay the delivery', command: 'svc deliveries replay {delivery} --wait' },
  secret: { fix: 'Show the current secret', command: 'svc webhooks get {webhook} --show-secret' },
  show: { fix: 'Show the request and response', command: 'svc deliveries get {delivery}' },
  show_failed: {
    fix: 'Explain attempt {failed}, which failed',
    command: 'svc explain {delivery} --attempt {failed}',
  },
  steps: { fix: 'Show the correct steps', command: 'svc explain {delivery} --steps' },
  verify: {
    fix: 'Check the digest that the receiver computes',
    command: 'svc verify --delivery {delivery} --computed DIGEST',
  },
} as const satisfies Readonly<Record<string, Fix>>;

/** The values of `{name}` in texts. */
export type Values = Readonly<Record<string, string>>;

export function say(name: SentenceName, values: Values = {}): string {
  return fill(sentences[name][0], values);
}

/** What to do if this sentence applies. */
export function sayFix(name: SentenceName, values: Values): Hint {
  return toHint({ fix: explanationSentences[name][2] ?? '' }, values);
}

/** Replaces each `{name}` that has a value. */
export function fill(text: string, values: Values, write = (value: string) => value): string {
  return text.replace(/\{(\w+)\}/g, (placeholder, name: string) => {
    const value = values[name];
    return value === undefined ? placeholder : write(value);
  });
}

/** The hints of the next steps. @param values at least `delivery` and `webhook`, their IDs */
export function toNextSteps(values: Values): Readonly<Record<keyof typeof nextSteps, Hint>> {
  const hints = Object.entries(nextSteps).map(([name, step]) => [name, toHint(step, values)]);
  return Object.fromEntries(hints);
}

export function toHint({ fix, command }: Fix, values: Values): Hint {
  const text = fill(fix, values);
  return command === undefined ? { text } : { text, command: fill(command, values, quoteForShell) };
}
