/**
 * Finds the smallest sequence that fails. Works on the plain data and not with the shrinking of fast-check, which takes too many
 * plays: it changes the values of all steps before it removes one in the middle, and never removes the last steps.
 */
import { getTextAtPath } from '../../domain/json-path.ts';
import type { WebhookSender } from '../../profile/senders.ts';
import {
  addField,
  createUnknownEvent,
  type DeliverySequence,
  type EventTemplate,
  normalizeSequence,
  omitField,
  type SequenceEvent,
  type SequenceStep,
  sortEventsByFirstStep,
  UNKNOWN_FIELD,
} from '../sequence.ts';

interface KnownEvent extends EventTemplate {
  readonly sender: WebhookSender;
}

/**
 * @param sequence a sequence that fails
 * @param failingStep the index of the step that shows the failure; null for the whole sequence
 * @param known an event that the receiver knows, to replace unusual ones, and its sender
 * @param isFailing plays a sequence; called at most once for each
 */
export async function shrinkSequence(
  sequence: DeliverySequence,
  failingStep: number | null,
  known: KnownEvent,
  isFailing: (sequence: DeliverySequence) => Promise<boolean>,
): Promise<DeliverySequence> {
  const triedTexts = new Set([JSON.stringify(sequence)]);
  let smallest = sequence;
  const trySequence = async (candidate: DeliverySequence): Promise<boolean> => {
    const normalized = normalizeSequence(candidate);
    const text = JSON.stringify(normalized);
    if (triedTexts.has(text)) return false;
    triedTexts.add(text);
    const fails = await isFailing(normalized);
    if (fails) smallest = normalized;
    return fails;
  };

  const tryFirst = async (candidates: Iterable<DeliverySequence>): Promise<boolean> => {
    for (const candidate of candidates) if (await trySequence(candidate)) return true;
    return false;
  };

  await tryFirst(focusOnStep(sequence, failingStep));
  // Halves first, because most of the steps do not matter.
  for (let size = smallest.steps.length >> 1; size >= 1; size >>= 1) {
    for (let start = smallest.steps.length - size; start >= 0; start -= size) {
      if (size < smallest.steps.length) await trySequence(removeSteps(smallest, start, size));
    }
  }
  while (await tryFirst(listSimplerSequences(smallest, known)));
  return smallest;
}

/** Guesses what matters for most failures: the step, those with its event, and the bursts and restarts between them. */
function focusOnStep(sequence: DeliverySequence, index: number | null): DeliverySequence[] {
  const step = index === null ? undefined : sequence.steps[index];
  if (index === null || step === undefined) return [];
  if (!('event' in step)) return [{ ...sequence, steps: [step] }];
  const { event } = step;
  const isSameEvent = (other: SequenceStep) => 'event' in other && other.event === event;
  const related = sequence.steps.slice(sequence.steps.findIndex(isSameEvent), index + 1);
  return [
    [step],
    related.filter(isSameEvent),
    related.filter((other) => isSameEvent(other) || !('event' in other)),
  ].map((steps) => ({ ...sequence, steps }));
}

function removeSteps(sequence: DeliverySequence, start: number, count: number): DeliverySequence {
  return { ...sequence, steps: sequence.steps.toSpliced(start, count) };
}

function* listSimplerSequences(sequence: DeliverySequence, known: KnownEvent): Generator<DeliverySequence> {
  const { steps, events } = sequence;
  if (steps.length > 1) for (const index of steps.keys()) yield removeSteps(sequence, index, 1);
  for (const [index, step] of steps.entries()) {
    for (const name of Object.keys(step).filter((name) => !requiredFields.includes(name))) {
      yield { ...sequence, steps: steps.with(index, omitField(step, name as keyof typeof step)) };
    }
    if (step.kind !== 'burst') continue;
    for (const count of listSmallerNumbers(step.count)) {
      yield { ...sequence, steps: steps.with(index, { ...step, count }) };
    }
  }
  for (const [index, event] of events.entries()) {
    for (const simpler of listSimplerEvents(event, known)) {
      yield { ...sequence, events: events.with(index, simpler) };
    }
  }
  // Not smaller, but shows whether the order matters.
  yield sortEventsByFirstStep(sequence);
}

/** The other fields of steps are optional. */
const requiredFields: readonly string[] = ['kind', 'event', 'attack', 'count'];

/** The field that the fuzz run added stays whole: it is short. */
function listSimplerEvents(event: SequenceEvent, { type, payload, sender }: KnownEvent): SequenceEvent[] {
  const { padding } = event;
  const field = getTextAtPath(event.payload, [UNKNOWN_FIELD]);
  const simpler: SequenceEvent[] = [{ ...event, type, payload }];
  if (field !== undefined) {
    simpler.push({ ...event, type, payload: addField(payload, UNKNOWN_FIELD, field) });
  }
  const unknown = createUnknownEvent(sender, { payload });
  if (event.type === unknown?.type) simpler.push({ ...event, ...unknown });
  if (event.days_old !== undefined) simpler.push(omitField(event, 'days_old'));
  if (padding === undefined) return simpler;
  const smaller = listSmallerNumbers(padding).map((length) => ({ ...event, padding: length }));
  return [...simpler, omitField(event, 'padding'), ...smaller];
}

/** Shares from which a few tries come close to the smallest number that fails. */
const SHARES = [0, 1 / 2, 3 / 4, 7 / 8, 15 / 16];

function listSmallerNumbers(value: number): number[] {
  const numbers = SHARES.map((share) => Math.max(1, Math.floor(share * value)));
  return [...new Set(numbers)].filter((number) => number < value);
}
