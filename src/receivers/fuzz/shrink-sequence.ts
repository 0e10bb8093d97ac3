/**
 * Finds the smallest sequence that fails. Works on the plain data and not with the shrinking of fast-check, which takes too many
 * plays: it changes the values of all steps before it removes one in the middle, and never removes the last steps.
 */
import { getTextAtPath } from '../../domain/json-path.ts';
import {
  addField,
  type DeliverStep,
  type DeliverySequence,
  type EventTemplate,
  normalizeSequence,
  omitField,
  type SequenceEvent,
  type SequenceStep,
  sortEventsByFirstStep,
  UNKNOWN_FIELD,
  UNKNOWN_TYPE,
} from '../sequence.ts';

type PauseStep = Extract<SequenceStep, { kind: 'pause' }>;

/**
 * @param sequence a sequence that fails
 * @param failingStep the index of the step that shows the failure; null for the whole sequence
 * @param template an event that the receiver knows, to replace unusual ones
 * @param isFailing plays a sequence; called at most once for each
 */
export async function shrinkSequence(
  sequence: DeliverySequence,
  failingStep: number | null,
  template: EventTemplate,
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

  for (const candidate of focusOnStep(sequence, failingStep)) {
    if (await trySequence(candidate)) break;
  }
  // Halves first, because most of the steps do not matter.
  for (let size = smallest.steps.length >> 1; size >= 1; size >>= 1) {
    for (let start = smallest.steps.length - size; start >= 0; start -= size) {
      if (size < smallest.steps.length) await trySequence(removeSteps(smallest, start, size));
    }
  }
  let isSmaller = true;
  while (isSmaller) {
    isSmaller = false;
    for (const candidate of listSimplerSequences(smallest, template)) {
      isSmaller = await trySequence(candidate);
      if (isSmaller) break;
    }
  }
  return smallest;
}

/** Guesses what matters for most failures: the step, those with its event, and the pauses, bursts and restarts between them. */
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

function* listSimplerSequences(
  sequence: DeliverySequence,
  template: EventTemplate,
): Generator<DeliverySequence> {
  const { steps, events } = sequence;
  // Pauses first, because every later play takes as long as they do.
  for (const [index, step] of steps.entries()) {
    if (step.kind !== 'pause') continue;
    for (const shorter of listShorterPauses(step)) yield { ...sequence, steps: steps.with(index, shorter) };
  }
  if (steps.length > 1) for (const index of steps.keys()) yield removeSteps(sequence, index, 1);
  for (const [index, step] of steps.entries()) {
    for (const simpler of listSimplerSteps(step)) yield { ...sequence, steps: steps.with(index, simpler) };
  }
  for (const [index, event] of events.entries()) {
    for (const simpler of listSimplerEvents(event, template)) {
      yield { ...sequence, events: events.with(index, simpler) };
    }
  }
  // Not smaller, but shows whether the order matters.
  yield sortEventsByFirstStep(sequence);
}

const optionalFields = [
  'with_previous',
  'new_delivery',
  'failure',
  'slow_body',
  'second_signature',
  'keep_connection',
] as const satisfies readonly (keyof DeliverStep)[];

function listSimplerSteps(step: SequenceStep): SequenceStep[] {
  switch (step.kind) {
    case 'deliver':
      return optionalFields.filter((name) => step[name] !== undefined).map((name) => omitField(step, name));
    case 'attack':
      return step.with_previous ? [omitField(step, 'with_previous')] : [];
    case 'burst':
      return [
        ...(step.with_previous ? [omitField(step, 'with_previous')] : []),
        ...listSmallerNumbers(step.count).map((count) => ({ ...step, count })),
      ];
    case 'pause':
    case 'restart':
      return [];
  }
}

/** Few, because each try takes as long as the pause. */
function listShorterPauses(step: PauseStep): PauseStep[] {
  return [1, step.ms >> 1, (step.ms * 3) >> 2]
    .filter((ms) => ms >= 1 && ms < step.ms)
    .map((ms) => ({ ...step, ms }));
}

/** The field that the fuzz run added stays whole: it is short. */
function listSimplerEvents(event: SequenceEvent, { type, payload }: EventTemplate): SequenceEvent[] {
  const { padding } = event;
  const field = getTextAtPath(event.payload, [UNKNOWN_FIELD]);
  const payloads = [payload, ...(field === undefined ? [] : [addField(payload, UNKNOWN_FIELD, field)])];
  return [
    ...payloads.map((simpler) => ({ ...event, type, payload: simpler })),
    ...(event.type === UNKNOWN_TYPE ? [{ ...event, payload: '{}' }] : []),
    ...(['padding', 'days_old'] as const)
      .filter((name) => event[name] !== undefined)
      .map((name) => omitField(event, name)),
    ...(padding === undefined
      ? []
      : listSmallerNumbers(padding).map((smaller) => ({ ...event, padding: smaller }))),
  ];
}

/** Numbers from which a few tries come close to the smallest one that fails. */
function listSmallerNumbers(value: number): number[] {
  const candidates = [1, value >> 1, (value * 3) >> 2, (value * 7) >> 3, (value * 15) >> 4];
  return [...new Set(candidates)].filter((candidate) => candidate >= 1 && candidate < value);
}
