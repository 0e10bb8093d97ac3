/** Makes a sequence that fails smaller, plays the smallest one again, and describes the failure. */
import { SECOND_MS } from '../../domain/duration.ts';
import { isAccepted } from '../receiver-client.ts';
import { getTamperedDelivery, NOT_PROCESSED_EXPLANATION } from '../tampered-deliveries.ts';
import {
  explainRule,
  type FuzzRule,
  findViolations,
  fuzzRules,
  type StepSummary,
  summarizeSteps,
  type Violation,
} from './fuzz-rules.ts';
import type { FailingPlay, FuzzSession } from './fuzz-session.ts';
import type { Exchange, PlayRecord } from './play-sequence.ts';
import type { DeliverySequence } from './sequence.ts';
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
  /** The number of sequences that were tried to find the smallest one. Those of a race are played twice. */
  readonly shrink_runs: number;
  readonly shrink_ms: number;
  readonly steps: readonly StepSummary[];
  /** The events whose payload differs from that of an ordinary one, by their number in `steps`. */
  readonly unusual_events: readonly { readonly event: number; readonly payload: string }[];
  /** The smallest sequence. */
  readonly sequence: DeliverySequence;
}

/** Plays of the smallest sequence, including the one that found it. */
export const CONFIRMATION_PLAYS = 3;
/** How long a search for a smaller sequence may take. */
const SHRINK_MS = 20 * SECOND_MS;
/** Plays of a smaller sequence with simultaneous deliveries before it counts as one that does not fail. */
const RACE_PLAYS = 2;
/** At most this many of the smallest sequences, and the original one, are played again until one fails again. */
const MAX_CONFIRMED = 5;
/** How long the smallest sequences are played again, to see how often they fail. */
const CONFIRM_MS = 20 * SECOND_MS;

/** Finds the smallest sequence that breaks a rule of the same group as the first one. */
export async function findSmallestFailure(
  session: FuzzSession,
  first: FailingPlay,
  signal: AbortSignal,
): Promise<FuzzFailure> {
  session.phase = 'shrinking';
  session.smallestSteps = first.record.sequence.steps.length;
  const startedAt = performance.now();
  const getElapsedMs = () => Math.round(performance.now() - startedAt);
  const { rule } = first.violation;
  const failures = [first];
  let error: Error | null = null;
  const isFailing = async (sequence: DeliverySequence): Promise<boolean> => {
    if (signal.aborted || getElapsedMs() > SHRINK_MS || error !== null) return false;
    if (!(await session.ensureRunning())) return false;
    // A race does not show in every play.
    const isRace = sequence.steps.some((step) => 'with_previous' in step && step.with_previous);
    for (let play = 0; play < (isRace ? RACE_PLAYS : 1); play++) {
      const failing = await session.playAgain(sequence, session.getShrinkLimits(), rule);
      if (failing === null) continue;
      failures.unshift(failing);
      session.smallestSteps = sequence.steps.length;
      return true;
    }
    return false;
  };
  const { tryCount } = await shrinkSequence(
    first.record.sequence,
    first.violation.step,
    session.template,
    // An error of the restart command or of the observer ends the shrinking. The failure is still reported.
    (sequence) =>
      isFailing(sequence).catch((cause: Error) => {
        error = cause;
        return false;
      }),
  );
  const shrinking = {
    original_steps: first.record.sequence.steps.length,
    shrink_runs: tryCount,
    shrink_ms: getElapsedMs(),
  };
  const endsAt = performance.now() + CONFIRM_MS;
  const smallest = await confirmFailure(session, failures[0] ?? first, signal, endsAt);
  // A small sequence can fail by chance, or because the waits were shorter. A larger one may fail more often.
  for (const larger of new Set([...failures.slice(1, MAX_CONFIRMED), first])) {
    if (smallest.failed > 1 || signal.aborted || performance.now() >= endsAt) break;
    const failure = await confirmFailure(session, larger, signal, endsAt);
    if (failure.failed > 1) return { ...failure, ...shrinking };
  }
  return { ...smallest, ...shrinking };
}

/** Plays a sequence again, to see whether it fails every time, and describes its failure. */
export async function confirmFailure(
  session: FuzzSession,
  { record, violation }: FailingPlay,
  signal: AbortSignal,
  endsAt = performance.now() + CONFIRM_MS,
): Promise<FuzzFailure> {
  session.phase = 'confirming';
  session.smallestSteps = record.sequence.steps.length;
  let [failed, played] = [1, 1];
  let problem: string | null = null;
  const canPlay = () => played < CONFIRMATION_PLAYS && !signal.aborted && performance.now() < endsAt;
  try {
    while (canPlay() && (await session.ensureRunning())) {
      const next = await session.playAgain(record.sequence, session.getSearchLimits(), violation.rule);
      if (signal.aborted) break;
      played++;
      if (next !== null) failed++;
    }
  } catch (error) {
    problem = (error as Error).message;
  }
  const { reference, summary } = fuzzRules[violation.rule];
  const { reason, remedy } = explainRule(violation.rule, record.sequence);
  const attackExplanation = explainAcceptedAttack(record, violation);
  return {
    rule: violation.rule,
    reference,
    summary,
    message:
      problem === null ? violation.message : `${violation.message} It could not be played again: ${problem}`,
    reason,
    remedy:
      attackExplanation === NOT_PROCESSED_EXPLANATION
        ? attackExplanation
        : [attackExplanation, remedy].filter(Boolean).join(' '),
    failed,
    played,
    original_steps: record.sequence.steps.length,
    shrink_runs: 0,
    shrink_ms: 0,
    steps: summarizeSteps(record, findViolations(record)),
    unusual_events: record.sequence.events.flatMap(({ payload }, index) =>
      payload === session.template.payload ? [] : [{ event: index + 1, payload }],
    ),
    sequence: record.sequence,
  };
}

/** Why a receiver accepts an attack, and what to do; undefined for other violations. */
function explainAcceptedAttack(record: PlayRecord, { rule, step: index }: Violation): string | undefined {
  const { sequence, exchanges } = record;
  const step = index === null ? undefined : sequence.steps[index];
  if (rule !== 'rejected' || step?.kind !== 'attack') return undefined;
  const last = exchanges.findLast((exchange) => exchange.step === index);
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
