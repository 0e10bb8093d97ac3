/**
 * Finds the smallest sequence that fails. Works on the plain data and not with the shrinking of fast-check, which takes too many
 * plays: it changes the values of all steps before it removes one in the middle, and never removes the last steps.
 */
import { findNodeAtLocation, getNodePath, type Node, parseTree } from 'jsonc-parser';
import { getTextAtPath, removeAtPath } from '../../domain/json-path.ts';
import { compactJson, indentJson } from '../../domain/json-text.ts';
import {
  addField,
  type DeliverStep,
  type DeliverySequence,
  type EventTemplate,
  FUZZ_FIELD,
  normalizeSequence,
  omitField,
  type SequenceEvent,
  type SequenceStep,
  sortEventsByFirstStep,
  UNKNOWN_TYPE,
} from '../sequence.ts';

type PauseStep = Extract<SequenceStep, { kind: 'pause' }>;

const FEW_STEPS = 5;

interface SmallestSequence {
  readonly sequence: DeliverySequence;
  /** The number of sequences that were tried. */
  readonly tryCount: number;
}

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
): Promise<SmallestSequence> {
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
  // Halves first, because most of the steps do not matter. A few steps are removed one by one.
  for (
    let size = smallest.steps.length <= FEW_STEPS ? 0 : smallest.steps.length >> 1;
    size >= 1;
    size >>= 1
  ) {
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
  return { sequence: smallest, tryCount: triedTexts.size - 1 };
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

function listSimplerEvents(event: SequenceEvent, { type, payload }: EventTemplate): SequenceEvent[] {
  const isUsual = event.type === type && event.payload === payload;
  const { padding } = event;
  const field = isUsual ? null : findAddedField(event);
  return [
    ...(isUsual ? [] : [{ ...event, type, payload }]),
    ...(field === null ? [] : [{ ...event, type, payload: addField(payload, FUZZ_FIELD, field) }]),
    ...(['padding', 'days_old'] as const)
      .filter((name) => event[name] !== undefined)
      .map((name) => omitField(event, name)),
    ...(padding === undefined ? [] : listSmallerNumbers(padding).map((padding) => ({ ...event, padding }))),
    ...(isUsual ? [] : listSimplerPayloads(event).map((payload) => ({ ...event, payload }))),
  ];
}

/** Numbers from which a few tries come close to the smallest one that fails. */
function listSmallerNumbers(value: number): number[] {
  const candidates = [1, value >> 1, (value * 3) >> 2, (value * 7) >> 3, (value * 15) >> 4];
  return [...new Set(candidates)].filter((candidate) => candidate >= 1 && candidate < value);
}

/** The JSON text of the field that the fuzz run added; null if there is none. */
function findAddedField({ payload }: SequenceEvent): string | null {
  return getTextAtPath(payload, [FUZZ_FIELD]) ?? null;
}

/** Changes only what the fuzz run added: a receiver may need the other fields of a type that it knows. */
function listSimplerPayloads({ type, payload }: SequenceEvent): string[] {
  const text = indentJson(payload);
  const root = parseTree(text);
  const added = type === UNKNOWN_TYPE ? root : root && findNodeAtLocation(root, [FUZZ_FIELD]);
  if (added === undefined) return [];
  return listSimplerTexts(text, added)
    .map(compactJson)
    .filter((simpler) => simpler.startsWith('{'));
}

/** The indented text with a part of a value in its place, without one of its parts, or with a simpler one. */
function listSimplerTexts(text: string, node: Node): string[] {
  const replaceWith = (content: string) =>
    text.slice(0, node.offset) + content + text.slice(node.offset + node.length);
  if (node.type === 'string') return listHalves(node.value).map((half) => replaceWith(JSON.stringify(half)));
  const { children = [] } = node;
  const values =
    node.type === 'object' ? children.flatMap((property) => property.children?.[1] ?? []) : children;
  return [
    ...values.map(({ offset, length }) => replaceWith(text.slice(offset, offset + length))),
    ...values.map((value) => removeAtPath(text, getNodePath(value))),
    ...values.flatMap((value) => listSimplerTexts(text, value)),
  ];
}

function listHalves(text: string): string[] {
  const characters = [...text];
  const middle = characters.length >> 1;
  if (middle === 0) return [];
  return [characters.slice(0, middle), characters.slice(middle)].map((half) => half.join(''));
}
