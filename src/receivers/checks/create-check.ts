/** Creates checks from what they send, and from what it means if a receiver handles it incorrectly. */
import { formatDuration } from '../../domain/duration.ts';
import { type CheckSession, countSideEffects, describePlay } from '../check-session.ts';
import type { FuzzRule } from '../play-rules.ts';
import { type CheckOutcome, failed, inconclusive, passed, type ReceiverCheck } from '../receiver-check.ts';
import { isAccepted } from '../receiver-client.ts';
import type { CustomStep, PlayedSequence } from '../sequence.ts';
import { MIN_QUIET_MS } from '../side-effect-observer.ts';
import { NOT_PROCESSED_EXPLANATION, OTHER_SECRET_CHECK_ID } from '../tampered-deliveries.ts';

interface SingleDelivery extends Omit<ReceiverCheck, 'run'> {
  /** What a failure means, and what to do. */
  readonly explanation: string;
  readonly create: CustomStep['create'];
}

/** Creates a check of a delivery that a correct receiver accepts. The rule `robustness` also demands that it keeps running. */
export function createAcceptedCheck({ create, explanation, ...check }: SingleDelivery): ReceiverCheck {
  return {
    ...check,
    judgesByResponse: true,
    async run(session) {
      const probes = check.id.startsWith('robustness.') && !session.isSlow;
      const { record } = await session.check([{ kind: 'custom', event: 0, isGenuine: true, create }], {
        probes,
      });
      const [first] = record.exchanges;
      const isPassed = first !== undefined && isAccepted(first.response);
      return isPassed ? passed(describePlay(record)) : failed(describePlay(record), explanation);
    },
  };
}

/**
 * Creates a check that passes unless the delivery is accepted. Another check covers the status (§6.4). If side effects can be
 * observed, they show whether an accepted delivery is also processed.
 */
export function createRejectedCheck({ create, explanation, ...check }: SingleDelivery): ReceiverCheck {
  return {
    ...check,
    async run(session) {
      const step = { kind: 'custom', event: 0, isGenuine: false, create } as const;
      const { record } = await session.check([step]);
      const received = describePlay(record);
      if (!record.exchanges.some(({ isGenuine, response }) => !isGenuine && isAccepted(response))) {
        return passed(received);
      }
      // A receiver that processes what another secret signs does not only acknowledge this one.
      if (session.processesForged) return failed(received, explanation);
      const unseen: CheckOutcome = { ...failed(received, explanation), acceptedUnseen: true };
      if (session.unobservable !== null) return unseen;
      const deliver = { kind: 'deliver', event: 1 } as const;
      const observed = await session.check([step, deliver], { observes: true }).catch((error: unknown) => {
        session.noteObserverProblem(error);
        return null;
      });
      if (observed === null) return unseen;
      const count = countSideEffects(observed.record);
      const rules = observed.violations.map(({ rule }) => rule);
      if (rules.includes('no-side-effect') && count !== null) {
        if (check.id === OTHER_SECRET_CHECK_ID) session.processesForged = true;
        const own = rules.includes('processed') ? count : count - 1;
        return failed(`${received}, side effects: ${own}`, explanation);
      }
      // Its side effect can be missing because that of the valid delivery, which was sent later, is missing too.
      if (count === null || rules.includes('processed')) return unseen;
      return {
        ...failed(`${received}, side effects: 0`, NOT_PROCESSED_EXPLANATION),
        acceptedUnseen: true,
      };
    },
  };
}

export interface SequenceCheck extends Omit<ReceiverCheck, 'run'> {
  steps(session: CheckSession): PlayedSequence['steps'];
  /** What it means if the sequence breaks a rule, and what to do. Other broken rules make the check inconclusive. */
  readonly fails: Partial<Record<FuzzRule, string>>;
  /** `needed`: the responses show nothing, so nothing is sent if side effects cannot be observed. */
  readonly sideEffects: 'needed' | 'useful' | 'ignored';
}

/** A receiver can process an event quickly, and its duplicate later, for example in a queue. */
const REPEAT_QUIET_MS = 600;

/** Creates a check of a sequence that is repeated as the service does. */
export function createSequenceCheck({ steps, fails, sideEffects, ...check }: SequenceCheck): ReceiverCheck {
  return {
    ...check,
    async run(session) {
      const observes = sideEffects !== 'ignored' && session.unobservable === null;
      if (sideEffects === 'needed' && !observes) return inconclusive('', session.unobservable ?? '');
      if (observes && session.observer?.isBusy) return inconclusive('', describeBusy(session));
      const quietMs = fails.once === undefined ? MIN_QUIET_MS : REPEAT_QUIET_MS;
      const limits = { repeats: true, observes, quietMs };
      const { record, violations } = await session.check(steps(session), limits);
      const count = countSideEffects(record);
      const received = describePlay(record) + (count === null ? '' : `, side effects: ${count}`);
      const broken = violations.map(({ rule }) => (rule === 'order' ? 'processed' : rule));
      const rule = broken.find((name) => fails[name] !== undefined);
      if (rule !== undefined) return failed(received, fails[rule] ?? '');
      const [violation] = violations;
      if (violation !== undefined) return inconclusive(received, violation.message);
      if (sideEffects === 'ignored' || count !== null) return passed(received);
      return inconclusive(received, session.unobservable ?? describeBusy(session));
    },
  };
}

export function describeBusy({ timeoutMs }: CheckSession): string {
  return `Your receiver is still working on earlier events after ${formatDuration(timeoutMs)}. Make the work faster while this check runs.`;
}
