/** Creates checks from what they send, and from what it means if a receiver handles it incorrectly. */
import type { WebhookSender } from '../../profile/senders.ts';
import { type CheckSession, countSideEffects, describePlay } from '../check-session.ts';
import type { FuzzRule } from '../play-rules.ts';
import { failed, inconclusive, passed, type ReceiverCheck } from '../receiver-check.ts';
import { isAccepted } from '../receiver-client.ts';
import type { CustomStep, EventTemplate, PlayedStep, SequenceEvent } from '../sequence.ts';

export const deliver: PlayedStep = { kind: 'deliver', event: 0 };

export function createValid(create: CustomStep['create']): CustomStep {
  return { kind: 'custom', event: 0, isGenuine: true, create };
}

interface AcceptedCheck extends Omit<ReceiverCheck, 'run'> {
  /** What a failure means, and what to do. */
  readonly explanation: string;
  /** Default: an ordinary delivery. */
  readonly step?: PlayedStep;
  /** The event that is delivered. @param known one that the receiver knows (default: this one) */
  createEvent?(known: EventTemplate, sender: WebhookSender): SequenceEvent;
}

/** Creates a check of a delivery that a correct receiver accepts. */
export function createAcceptedCheck({
  explanation,
  step = deliver,
  createEvent = (known) => known,
  ...check
}: AcceptedCheck): ReceiverCheck {
  return {
    ...check,
    judgesByResponse: true,
    async run(session) {
      const event = createEvent(session.template, session.options.sender);
      const { record } = await session.check([step], { events: [event] });
      const [first] = record.exchanges;
      const received = describePlay(record);
      return first && isAccepted(first.response) ? passed(received) : failed(received, explanation);
    },
  };
}

interface RejectedCheck extends Omit<ReceiverCheck, 'run'> {
  /** What it means if the receiver accepts the delivery, and what to do. */
  readonly explanation: string;
  readonly create: CustomStep['create'];
}

/** Creates a check that passes unless the delivery is accepted. Another check covers the status (§6.4). */
export function createRejectedCheck({ create, explanation, ...check }: RejectedCheck): ReceiverCheck {
  return {
    ...check,
    async run(session) {
      const { record } = await session.check([{ kind: 'custom', event: 0, isGenuine: false, create }]);
      const [first] = record.exchanges;
      const received = describePlay(record);
      return first && isAccepted(first.response) ? failed(received, explanation) : passed(received);
    },
  };
}

interface SequenceCheck extends Omit<ReceiverCheck, 'run'> {
  steps(session: CheckSession): readonly PlayedStep[];
  /** What it means if the sequence breaks a rule, and what to do. Other broken rules make the check inconclusive. */
  readonly fails: Partial<Record<FuzzRule, string>>;
  /** `needed`: the responses show nothing, so nothing is sent if side effects cannot be observed. */
  readonly sideEffects: 'needed' | 'useful' | 'ignored';
}

/** A receiver can process an event quickly, and its duplicate later, for example in a queue. */
const REPEAT_WORK_MS = 500;

/** Creates a check of a sequence in which failed deliveries are repeated as the service does. */
export function createSequenceCheck({ steps, fails, sideEffects, ...check }: SequenceCheck): ReceiverCheck {
  return {
    ...check,
    async run(session) {
      const observes = sideEffects !== 'ignored' && session.unobservable === null;
      if (sideEffects === 'needed' && !observes) return inconclusive('', session.unobservable ?? '');
      // It is known already, and a receiver that works on one event after the other would take minutes for all of them.
      const processed = session.forged === 'processed' ? fails['no-side-effect'] : undefined;
      if (processed !== undefined) return failed('', processed);
      const end: readonly PlayedStep[] =
        fails.once && observes ? [{ kind: 'pause', ms: REPEAT_WORK_MS }] : [];
      const play = await session.check([...steps(session), ...end], { repeats: true, observes });
      const received = describePlay(play.record);
      // Which attacks a receiver accepts is the result of other checks.
      const violations = play.violations.filter(({ rule }) => rule !== 'rejected');
      const broken = violations.map(({ rule }) => (rule === 'order' ? 'processed' : rule));
      const rule = broken.find((name) => fails[name] !== undefined);
      if (rule !== undefined) return failed(received, fails[rule] ?? '');
      const [violation] = violations;
      if (violation !== undefined) return inconclusive(received, violation.message);
      if (sideEffects === 'ignored' || countSideEffects(play.record) !== null) return passed(received);
      return inconclusive(received, session.unobservable ?? '');
    },
  };
}
