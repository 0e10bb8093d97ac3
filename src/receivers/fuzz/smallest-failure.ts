/** Makes a sequence that fails smaller, plays the smallest one again, and describes the failure. */
import { SECOND_MS } from '../../domain/duration.ts';
import {
  type FuzzRule,
  findViolations,
  fuzzRules,
  type StepSummary,
  summarizeSteps,
  type Violation,
} from '../play-rules.ts';
import type { Exchange, PlayRecord } from '../play-sequence.ts';
import { isAccepted } from '../receiver-client.ts';
import type { DeliverySequence } from '../sequence.ts';
import { getTamperedDelivery, NOT_PROCESSED_EXPLANATION } from '../tampered-deliveries.ts';
import type { FailingPlay, FuzzSession } from './fuzz-session.ts';
import { shrinkSequence } from './shrink-sequence.ts';

/** Also the JSON form. */
export interface FuzzFailure {
  readonly rule: FuzzRule;
  /** Its section in the service description. */
  readonly reference: string;
  /** What the rule demands. */
  readonly summary: string;
  /** What happened. */
  readonly message: string;
  /** Why it matters. */
  readonly reason: string;
  /** What to do. */
  readonly remedy: string;
  /** How often the smallest sequence failed, and how often it was played. */
  readonly failed: number;
  readonly played: number;
  /** The number of steps of the sequence that failed first. */
  readonly original_steps: number;
  readonly steps: readonly StepSummary[];
  /** The events whose payload differs from that of an ordinary one, by their number in `steps`. */
  readonly unusual_events: readonly { readonly event: number; readonly payload: string }[];
  /** The smallest sequence. */
  readonly sequence: DeliverySequence;
}

/** Plays of the smallest sequence, including the one that found it. */
export const CONFIRMATION_PLAYS = 3;
/** How long a search for a smaller sequence may take, and the least time that it waits for a response or a side effect. */
const SHRINK_MS = 20 * SECOND_MS;
const SHRINK_TIMEOUT_MS = 500;
/** The least time that the plays of the smallest sequence wait. */
const CONFIRMATION_TIMEOUT_MS = 3 * SECOND_MS;
/** Plays of a smaller sequence with simultaneous deliveries before it counts as one that does not fail. */
const RACE_PLAYS = 2;

/** Finds the smallest sequence that breaks a rule of the same group as the first one. */
export async function findSmallestFailure(session: FuzzSession, first: FailingPlay): Promise<FuzzFailure> {
  const endsAt = performance.now() + SHRINK_MS;
  let smallest = first;
  session.steps = first.sequence.steps.length;
  const isFailing = async (sequence: DeliverySequence): Promise<boolean> => {
    // A race does not show in every play.
    const isRace = sequence.steps.some((step) => 'with_previous' in step && step.with_previous);
    for (let play = 0; play < (isRace ? RACE_PLAYS : 1); play++) {
      if (session.signal.aborted || performance.now() > endsAt || !(await session.ensureRunning())) {
        return false;
      }
      const failing = await session.playAgain(sequence, first.violation.rule, SHRINK_TIMEOUT_MS);
      if (failing === null) continue;
      smallest = failing;
      session.steps = sequence.steps.length;
      return true;
    }
    return false;
  };
  const { step } = first.violation;
  // An error of the restart command or of the observer ends the shrinking. The failure is still reported.
  await shrinkSequence(first.sequence, step, session.template, isFailing).catch(() => {});
  const failure = await confirmFailure(session, smallest);
  return { ...failure, original_steps: first.sequence.steps.length };
}

/** Plays a sequence again, to see whether it fails every time, and describes its failure. */
export async function confirmFailure(
  session: FuzzSession,
  { sequence, record, violation }: FailingPlay,
): Promise<FuzzFailure> {
  let [failed, played] = [1, 1];
  let problem = '';
  try {
    while (played < CONFIRMATION_PLAYS && !session.signal.aborted && (await session.ensureRunning())) {
      const next = await session.playAgain(sequence, violation.rule, CONFIRMATION_TIMEOUT_MS);
      if (session.signal.aborted) break;
      played++;
      if (next !== null) failed++;
    }
  } catch (error) {
    problem = ` It could not be played again: ${(error as Error).message}`;
  }
  const { reference, summary, reason, remedy } = fuzzRules[violation.rule];
  const attackExplanation = explainAcceptedAttack(sequence, record, violation);
  return {
    rule: violation.rule,
    reference,
    summary,
    reason,
    failed,
    played,
    sequence,
    message: violation.message + problem,
    remedy:
      attackExplanation === NOT_PROCESSED_EXPLANATION
        ? attackExplanation
        : [attackExplanation, remedy].filter(Boolean).join(' '),
    original_steps: sequence.steps.length,
    steps: summarizeSteps(sequence, record, findViolations(record)),
    unusual_events: sequence.events.flatMap(({ payload }, index) =>
      payload === session.template.payload ? [] : [{ event: index + 1, payload }],
    ),
  };
}

/** Why a receiver accepts an attack, and what to do; undefined for other violations. */
function explainAcceptedAttack(
  { steps }: DeliverySequence,
  record: PlayRecord,
  { rule, step: index }: Violation,
): string | undefined {
  const step = index === null ? undefined : steps[index];
  if (rule !== 'rejected' || step?.kind !== 'attack') return undefined;
  const last = record.exchanges.findLast((exchange) => exchange.step === index);
  if (last === undefined || !isAccepted(last.response)) return undefined;
  return isSeenUnprocessed(last, record)
    ? NOT_PROCESSED_EXPLANATION
    : getTamperedDelivery(step.attack).explanation;
}

/** Whether side effects show that the receiver does not process an attack. */
function isSeenUnprocessed({ event }: Exchange, { exchanges, sideEffects }: PlayRecord): boolean {
  const genuineIds = new Set(exchanges.filter(({ isGenuine }) => isGenuine).map((each) => each.event.id));
  if (sideEffects === null || genuineIds.has(event.id)) return false;
  return sideEffects.mode === 'ids'
    ? !sideEffects.countsById.has(event.id)
    : sideEffects.count <= genuineIds.size;
}
