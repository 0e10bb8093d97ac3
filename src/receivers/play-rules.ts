/** The rules, and which of them a sequence breaks according to the record of what happened. */
import { capitalize, formatCount } from '../domain/message-parts.ts';
import type { Exchange, PlayRecord } from './play-sequence.ts';
import { describeResponse, isAccepted, isRejected } from './receiver-client.ts';
import { isRepeat, nameEvent, type PlayedSequence, type PlayedStep } from './sequence.ts';

/** Each rule with its sections of the service description, why it matters and what to do. */
export const fuzzRules = {
  accepted: {
    reference: '§6.2, §6.5',
    summary: 'a valid delivery gets a 2xx response within the time limit',
    reason: 'If no attempt of a delivery is accepted, its event is lost.',
    remedy:
      'Respond with 2xx to every delivery with a valid signature, including duplicates, unusual payloads and unknown types.',
  },
  rejected: {
    reference: '§6.3, §6.4',
    summary: 'a forged, altered or old delivery gets a 4xx response',
    reason:
      'Anyone who knows the URL can send such a delivery. A 2xx response accepts it. A 5xx response shows an error that your code does not handle.',
    remedy:
      'Verify the signature over the timestamp and the raw body, then the age of the timestamp, and respond with 400 if either fails.',
  },
  'no-side-effect': {
    reference: '§6.4',
    summary: 'a forged, altered or old delivery has no side effect',
    reason: 'An attacker can make your receiver act on an event that never happened.',
    remedy: 'Verify a delivery before you do anything else with it.',
  },
  processed: {
    reference: '§6.6',
    summary: 'an accepted event has a side effect',
    reason:
      'Your receiver responded with 2xx, so the service does not send the event again: the event is lost.',
    remedy:
      'Mark an event as seen only after its delivery is verified. Store and compare the whole {event_id}, and store the event before you respond.',
  },
  once: {
    reference: '§6.6',
    summary: 'an event has only one side effect, however often it is delivered',
    reason:
      'An event can be delivered more than once. If a side effect is repeated, a customer can be charged or notified twice.',
    remedy:
      'Look up and store {event_id} in one atomic step, such as an insert with a unique key. Store each ID before the work starts, and keep it for {retry_time}, in a database.',
  },
  order: {
    reference: '§6.6',
    summary: 'an event has a side effect even if it is days old or a newer event arrived first',
    reason:
      'Deliveries can be late, and arrive in another order: an event that is skipped because of that is lost.',
    remedy:
      'Do not decide by the age of an event, or by the times or numbers of other events, whether to process it.',
  },
  'no-server-error': {
    reference: '§6.4, §6.5',
    summary: 'no delivery gets a 5xx response',
    reason:
      'A 5xx response usually means an error that your code does not handle. If the delivery is sent again, the error occurs again.',
    remedy: 'Check the log of your receiver for the error. 503 is allowed if a later attempt is accepted.',
  },
  running: {
    reference: '§6',
    summary: 'the receiver still accepts deliveries afterwards',
    reason: 'While a receiver is down, deliveries fail. Events whose last attempt fails are lost.',
    remedy:
      'Check the log of your receiver. If it cannot handle many deliveries at once, respond with 429 or 503. To find a smaller sequence, pass --restart-command.',
  },
} as const;
export type FuzzRule = keyof typeof fuzzRules;
export const fuzzRuleNames = Object.keys(fuzzRules) as FuzzRule[];

/** The rules that cannot be checked without side effects. */
export const sideEffectRules: ReadonlySet<FuzzRule> = new Set([
  'no-side-effect',
  'processed',
  'once',
  'order',
]);

export interface Violation {
  readonly rule: FuzzRule;
  /** The index of the step that shows it; null for the whole sequence. */
  readonly step: number | null;
  /** What happened, as a sentence. */
  readonly message: string;
}

/** All violations, causes first: a stopped receiver, then other wrong responses, then wrong side effects, which responses can cause. */
export function findViolations(record: PlayRecord): Violation[] {
  return [...findResponseViolations(record), ...findSideEffectViolations(record)];
}

function findResponseViolations({ sequence, exchanges, hasAccepted }: PlayRecord): Violation[] {
  const violations: Violation[] = [];
  const add = (rule: FuzzRule, exchange: Exchange, ending = '') => {
    const message = `${toSubject(sequence, exchange)} ${describeResult(exchange)}${ending}.`;
    violations.push({ rule, step: exchange.step, message });
  };
  const lastAttempts = listLastAttempts(exchanges);
  const healthCheck = lastAttempts.findLast(({ step }) => step === null);
  // A receiver that never accepted anything was not stopped by the sequence.
  if (healthCheck !== undefined && hasAccepted && !isAccepted(healthCheck.response)) {
    add('running', healthCheck);
  }
  for (const last of lastAttempts) {
    if (!last.isGenuine && !isRejected(last.response)) add('rejected', last);
  }
  const error = exchanges.find(
    ({ isGenuine, isDuringRestart, response: { status } }) =>
      isGenuine && !isDuringRestart && status !== null && status >= 500 && status !== 503,
  );
  if (error !== undefined) add('no-server-error', error);
  for (const last of lastAttempts) {
    if (!last.isGenuine || last.step === null || isAccepted(last.response)) continue;
    // A rate limit does not show how the receiver handles the delivery.
    if (last.response.status === 429 && hasAccepted) continue;
    add('accepted', last, ` after ${formatCount(last.attempt, 'attempt')}`);
  }
  return violations;
}

/** The last attempt of each delivery and of each attack. */
export function listLastAttempts(exchanges: readonly Exchange[]): readonly Exchange[] {
  return [...new Map(exchanges.map((sent) => [`${sent.step} ${sent.event.id}`, sent])).values()];
}

function findSideEffectViolations(record: PlayRecord): Violation[] {
  const { sequence, exchanges, sideEffects } = record;
  if (sideEffects === null) return [];
  const genuine = exchanges.filter(({ isGenuine }) => isGenuine);
  const acceptedIds = new Set(
    genuine.filter(({ response }) => isAccepted(response)).map(({ event }) => event.id),
  );
  const sentIds = new Set(genuine.map(({ event }) => event.id));
  const { count: total, countsById } = sideEffects;
  if (countsById === null) return findCountViolations(sequence, total, acceptedIds.size, sentIds.size);
  const events = new Map(exchanges.map(({ event }) => [event.id, event]));
  return [...events.values()].flatMap((event): Violation[] => {
    const count = countsById.get(event.id) ?? 0;
    const name =
      event.index === null ? 'An event of the burst' : capitalize(nameEvent(sequence, event.index));
    const isOwn = (step: PlayedStep) => 'event' in step && step.event === event.index;
    const step = event.index === null ? null : sequence.steps.findLastIndex(isOwn);
    if (!sentIds.has(event.id)) {
      const message = `${name} has a side effect, but only an attacker sent it.`;
      return count === 0 ? [] : [{ rule: 'no-side-effect', step, message }];
    }
    if (count > 1) return [{ rule: 'once', step, message: `${name} has ${count} side effects.` }];
    if (count === 1 || !acceptedIds.has(event.id)) return [];
    const rule = event.index !== null && isOutOfOrder(sequence, event.index) ? 'order' : 'processed';
    return [{ rule, step, message: `${name} was accepted and has no side effect.` }];
  });
}

/** A count does not say which event a side effect belongs to. */
function findCountViolations(sequence: PlayedSequence, count: number, min: number, max: number): Violation[] {
  const step = sequence.steps.length - 1;
  const range = min === max ? `${min}` : `${min} to ${max}`;
  const message = `${formatCount(count, 'side effect')} instead of ${range}.`;
  if (count < min) {
    const isOrdered = !sequence.events.some((_, index) => isOutOfOrder(sequence, index));
    return [{ rule: isOrdered ? 'processed' : 'order', step, message }];
  }
  if (count <= max) return [];
  const repeats = sequence.steps.some(
    (step, index) => ('failure' in step && step.failure !== undefined) || isRepeat(sequence.steps, index),
  );
  const hasAttack = sequence.steps.some(({ kind }) => kind === 'attack');
  return [{ rule: hasAttack && !repeats ? 'no-side-effect' : 'once', step, message }];
}

/**
 * Whether an event is only delivered after one that was created later, and no attack uses its ID. An event that is days old always
 * is: it comes after those of earlier sequences.
 */
function isOutOfOrder({ steps, events }: PlayedSequence, event: number): boolean {
  // Higher for an older event: by `days_old`, then by position in the list, which is in order of creation.
  const getAgeRank = (index: number) => (events[index]?.days_old ?? 0) * events.length - index;
  const first = steps.findIndex((step) => step.kind === 'deliver' && step.event === event);
  const isAttacked = steps.some((step) => step.kind === 'attack' && step.event === event);
  const isDaysOld = events[event]?.days_old !== undefined;
  const isLate = steps
    .slice(0, first)
    .some((step) => step.kind === 'deliver' && getAgeRank(step.event) < getAgeRank(event));
  return !isAttacked && (isDaysOld || isLate);
}

function toSubject(sequence: PlayedSequence, { step, event, isGenuine }: Exchange): string {
  if (!isGenuine) return 'The attack';
  if (step === null) return 'A delivery sent after the sequence';
  if (event.index === null) return 'A delivery of the burst';
  return `The delivery of ${nameEvent(sequence, event.index)}`;
}

/** `got status 500`, `got no response within 15s`, `failed (connection closed without a response)` */
export function describeResult({ response }: Exchange): string {
  return response.failure === null || response.failure === 'timeout'
    ? `got ${describeResponse(response)}`
    : `failed (${response.problem})`;
}
