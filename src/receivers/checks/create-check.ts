/** Creates checks from what they send, and from what to do if a receiver handles it incorrectly. */
import type { WebhookSender } from '../../profile/senders.ts';
import { type CheckSession, describePlay } from '../check-session.ts';
import { type FuzzRule, fuzzRules, sideEffectRules } from '../play-rules.ts';
import { failed, inconclusive, passed, type ReceiverCheck } from '../receiver-check.ts';
import { isAccepted } from '../receiver-client.ts';
import type { CustomStep, EventTemplate, PlayedStep, SequenceEvent } from '../sequence.ts';
import { OTHER_SECRET_CHECK_ID } from '../tampered-deliveries.ts';

export const deliver: PlayedStep = { kind: 'deliver', event: 0 };

export function createValid(create: CustomStep['create']): CustomStep {
  return { kind: 'custom', event: 0, isGenuine: true, create };
}

interface DeliveryCheck extends Omit<ReceiverCheck, 'run'> {
  /** What to do if the receiver does not handle the delivery as it must. */
  readonly remedy: string;
  readonly create?: CustomStep['create'];
  /** The number of deliveries (default: 1). */
  readonly count?: number;
  /** The event that is delivered. @param known one that the receiver knows (default: this one) */
  createEvent?(known: EventTemplate, sender: WebhookSender): SequenceEvent;
}

/** Creates a check of a delivery that a correct receiver accepts. */
export function createAcceptedCheck(check: DeliveryCheck): ReceiverCheck {
  return createDeliveryCheck(check, true);
}

/** Creates a check of a delivery that a correct receiver rejects. Another check covers the status (§6.4). */
export function createRejectedCheck(check: DeliveryCheck & Pick<CustomStep, 'create'>): ReceiverCheck {
  return createDeliveryCheck(check, false);
}

function createDeliveryCheck(
  { remedy, create, count = 1, createEvent = (known) => known, requires = [], ...check }: DeliveryCheck,
  isGenuine: boolean,
): ReceiverCheck {
  return {
    ...check,
    requires: [...requires, OTHER_SECRET_CHECK_ID],
    async run(session) {
      const known = createEvent(session.template, session.options.sender);
      const steps = Array.from(
        { length: count },
        (_, event): PlayedStep =>
          create ? { kind: 'custom', event, isGenuine, create } : { kind: 'deliver', event },
      );
      const { record } = await session.check(steps, { events: Array(count).fill(known) });
      const received = describePlay(record);
      const sent = record.exchanges.filter(({ step }) => step !== null);
      if (sent.every(({ response }) => isAccepted(response) === isGenuine)) return passed(received);
      const problem = isGenuine ? 'does not respond' : 'responds';
      return failed(received, `Your receiver ${problem} with 2xx to ${check.sent}. ${remedy}`);
    },
  };
}

interface SequenceCheck extends Omit<ReceiverCheck, 'run'> {
  steps(session: CheckSession): readonly PlayedStep[];
  /** The rules that the check is about. Other broken rules make it inconclusive. */
  readonly fails: readonly FuzzRule[];
  /** What to do (default: the remedy of the rule). */
  readonly remedy?: string;
}

/** A receiver can process an event quickly, and its duplicate later, for example in a queue. */
const REPEAT_WORK_MS = 500;

/** Creates a check of a sequence in which failed deliveries are repeated as the service does. */
export function createSequenceCheck({ steps, fails, remedy, ...check }: SequenceCheck): ReceiverCheck {
  const needsSideEffects = fails.some((rule) => sideEffectRules.has(rule));
  // Otherwise the responses can show something.
  const needsOnlySideEffects = fails.every((rule) => sideEffectRules.has(rule));
  return {
    ...check,
    async run(session) {
      const observes = needsSideEffects && session.unobservable === null;
      if (needsOnlySideEffects && !observes) return inconclusive('', session.unobservable ?? '');
      const end: readonly PlayedStep[] =
        fails.includes('once') && observes ? [{ kind: 'pause', ms: REPEAT_WORK_MS }] : [];
      const play = await session.check([...steps(session), ...end], { repeats: true, observes });
      const received = describePlay(play.record);
      // Which attacks a receiver accepts is the result of other checks.
      const violations = play.violations.filter(({ rule }) => rule !== 'rejected');
      const failure = violations.find(({ rule }) => fails.includes(rule));
      if (failure !== undefined) {
        const rule = fuzzRules[failure.rule];
        const problem = `Your receiver got ${check.sent}, and broke the rule that ${rule.summary}.`;
        return failed(received, `${problem} ${remedy ?? rule.remedy}`);
      }
      const [violation] = violations;
      if (violation !== undefined) return inconclusive(received, violation.message);
      return needsSideEffects && play.record.sideEffects === null
        ? inconclusive(received, session.unobservable ?? '')
        : passed(received);
    },
  };
}
