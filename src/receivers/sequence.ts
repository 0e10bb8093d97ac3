/** A delivery sequence: events, and the steps that deliver them. It is plain JSON, so that it can be saved and played again. */
import * as v from 'valibot';
import { SvcError } from '../domain/errors.ts';
import { isEventType } from '../domain/event.ts';
import { applyJsonEdits, getTextAtPath, parsePath } from '../domain/json-path.ts';
import { isJsonObjectText } from '../domain/json-text.ts';
import { formatCount } from '../domain/message-parts.ts';
import { attackNames, attacks } from '../domain/variations.ts';
import type { WebhookSender } from '../profile/senders.ts';
import { listProblems } from '../resources/validate.ts';
import { text, wholeNumber } from '../resources/value-schemas.ts';
import type { DeliveryFactory, SentEvent } from './delivery-factory.ts';
import type { DeliveryMessage } from './receiver-client.ts';

/** The version of the file format. */
export const SEQUENCE_VERSION = 1;

/** The IDs of at most 63 events differ in one or two characters. */
const MAX_EVENTS = 60;
const MAX_STEPS = 1_000;
const MAX_PADDING = 1_000_000;
const MAX_BURST = 1_000;

const flag = v.optional(v.literal(true));

const EventSchema = v.strictObject({
  type: text('an event type such as order.shipped', isEventType),
  /** JSON text of an object. It is text because JavaScript would change large numbers. */
  payload: text('the JSON text of an object', isJsonObjectText),
  /** Length of an additional field `padding`, so that a large payload needs no large file. */
  padding: v.optional(wholeNumber(1, MAX_PADDING)),
  /** How many days before the play the event was created. */
  days_old: v.optional(wholeNumber(1, 365)),
});

const eventIndex = wholeNumber(0, MAX_EVENTS - 1);
const DeliverSchema = v.strictObject({
  kind: v.literal('deliver'),
  event: eventIndex,
  /** Starts at the same time as the step before. */
  with_previous: flag,
  /** A new delivery of an event that was delivered before, as after a replay. Without this, the same delivery, as in a retry. */
  new_delivery: flag,
  /** What goes wrong at the first attempt. The delivery is then sent again. */
  failure: v.optional(v.picklist(['lost-response', 'cut-request'])),
  slow_body: flag,
  keep_connection: flag,
});
const AttackSchema = v.strictObject({
  kind: v.literal('attack'),
  attack: v.picklist(attackNames),
  /** The event whose ID and payload the attacker uses. */
  event: eventIndex,
  with_previous: flag,
});
const StepSchema = v.variant('kind', [
  DeliverSchema,
  AttackSchema,
  v.strictObject({ kind: v.literal('burst'), count: wholeNumber(1, MAX_BURST), with_previous: flag }),
  v.strictObject({ kind: v.literal('restart') }),
]);

const SequenceSchema = v.strictObject({
  version: v.literal(SEQUENCE_VERSION),
  /** The random seed of the fuzz run that found the sequence; null if it was written by hand. */
  random_seed: v.nullable(wholeNumber(0, Number.MAX_SAFE_INTEGER)),
  /** The number of the run that found it; null if it was written by hand, or is the plain delivery before the first run. */
  run: v.nullable(wholeNumber(0, Number.MAX_SAFE_INTEGER)),
  /** In the order of their creation, apart from `days_old`. */
  events: v.pipe(v.array(EventSchema), v.maxLength(MAX_EVENTS, `must have at most ${MAX_EVENTS} events`)),
  steps: v.pipe(
    v.array(StepSchema),
    v.minLength(1, 'must have at least one step'),
    v.maxLength(MAX_STEPS, `must have at most ${MAX_STEPS} steps`),
  ),
});

export type SequenceEvent = v.InferOutput<typeof EventSchema>;
export type DeliverStep = v.InferOutput<typeof DeliverSchema>;
export type SequenceStep = v.InferOutput<typeof StepSchema>;
export type DeliverySequence = v.InferOutput<typeof SequenceSchema>;

/** A delivery of a check that no sequence file can contain. */
export interface CustomStep {
  readonly kind: 'custom';
  readonly event: number;
  /** Whether a correct receiver accepts it. */
  readonly isGenuine: boolean;
  /** As in a step of a sequence. */
  readonly with_previous?: boolean | undefined;
  create(factory: DeliveryFactory, event: SentEvent): DeliveryMessage;
}

/** What is played: a delivery sequence, or the fixed one of a check. */
export interface PlayedSequence {
  readonly events: readonly SequenceEvent[];
  readonly steps: readonly PlayedStep[];
}
export type PlayedStep = SequenceStep | CustomStep | { readonly kind: 'pause'; readonly ms: number };

export type EventTemplate = Readonly<Pick<SequenceEvent, 'type' | 'payload'>>;

/** A field that no payload has. */
export const UNKNOWN_FIELD = 'svc_test';
/** Event types that no receiver knows, in the forms of all senders. */
const unknownTypes: readonly string[] = ['svc_test.unknown', 'svc_test/unknown', 'svc_test'];

/** The unknown type in the form of the sender; undefined if its types have another form. */
export function findUnknownType({ types }: WebhookSender): string | undefined {
  return unknownTypes.find((name) => types.test(name));
}

/**
 * An event of a type that no receiver knows, with this payload.
 * @returns null for a sender without such a type, or whose receivers would not notice it
 */
export function createUnknownEvent(
  sender: WebhookSender,
  { payload }: Pick<EventTemplate, 'payload'>,
): EventTemplate | null {
  const { body, eventTypePath, headers } = sender;
  const type = findUnknownType(sender);
  if (type === undefined) return null;
  if (body === 'envelope') return { type, payload };
  if (eventTypePath !== undefined && getTextAtPath(payload, parsePath(eventTypePath)) !== undefined) {
    const value = JSON.stringify(type);
    return { type, payload: applyJsonEdits(payload, [{ kind: 'override', path: eventTypePath, value }]) };
  }
  const isInHeader = Object.values(headers).some((template) => /\{(?:type|noun)\}/.test(template));
  return isInHeader ? { type, payload } : null;
}

/** @throws SvcError `usage` for the first problem @param source the name of the file, for the message */
export function parseSequence(value: unknown, source: string): DeliverySequence {
  const [invalid] = listProblems(SequenceSchema, value);
  const sequence = value as DeliverySequence;
  const problem = invalid ? `${invalid.path || 'it'} ${invalid.problem}` : findIndexProblem(sequence);
  if (problem === null) return sequence;
  throw new SvcError('usage', `${source} is not a delivery sequence: ${problem}.`, {
    hint: 'Pass a file that svc receiver fuzz wrote.',
  });
}

function findIndexProblem({ steps, events }: DeliverySequence): string | null {
  const index = steps.findIndex((step) => 'event' in step && step.event >= events.length);
  return index === -1 ? null : `steps[${index}].event must be the index of an event`;
}

/** Removes the events that no step uses, and the fields of steps that change nothing. */
export function normalizeSequence(sequence: DeliverySequence): DeliverySequence {
  const delivered = new Set<number>();
  const steps = sequence.steps.map((step, index): SequenceStep => {
    if (step.kind === 'restart') return step;
    const simplified = index > 0 ? step : omitField(step, 'with_previous');
    if (simplified.kind !== 'deliver') return simplified;
    const isFirst = !delivered.has(simplified.event);
    delivered.add(simplified.event);
    return isFirst ? omitField(simplified, 'new_delivery') : simplified;
  });
  // The events keep their order, in which they were created.
  const indexes = listEventIndexes(steps).sort((a, b) => a - b);
  return selectEvents({ ...sequence, steps }, indexes);
}

/** The events that steps use, in the order in which they are used first. */
export function listEventIndexes(steps: readonly PlayedStep[]): number[] {
  return [...new Set(steps.flatMap((step) => ('event' in step ? [step.event] : [])))];
}

/** Numbers the events in the order in which they are used first, so that they arrive in the order of their creation. */
export function sortEventsByFirstStep(sequence: DeliverySequence): DeliverySequence {
  return selectEvents(sequence, listEventIndexes(sequence.steps));
}

function selectEvents(sequence: DeliverySequence, indexes: readonly number[]): DeliverySequence {
  return {
    ...sequence,
    events: indexes.flatMap((index) => sequence.events[index] ?? []),
    steps: sequence.steps.map((step) =>
      'event' in step ? { ...step, event: indexes.indexOf(step.event) } : step,
    ),
  };
}

/** A copy without an optional field. */
export function omitField<Value extends object>(value: Value, name: keyof Value): Value {
  const { [name]: _, ...others } = value;
  return others as Value;
}

/** The steps that start at the same time, each group after the end of the one before. */
export function groupSteps(
  steps: readonly PlayedStep[],
): (readonly (readonly [index: number, PlayedStep])[])[] {
  const groups: (readonly [number, PlayedStep])[][] = [];
  for (const [index, step] of steps.entries()) {
    const previous = groups.at(-1);
    if ('with_previous' in step && step.with_previous && previous !== undefined) previous.push([index, step]);
    else groups.push([[index, step]]);
  }
  return groups;
}

/** The text of an event's payload, with the padding. */
export function toPayloadText({ payload, padding }: SequenceEvent): string {
  return padding === undefined ? payload : addField(payload, 'padding', `"${'x'.repeat(padding)}"`);
}

/** Adds a field to the JSON text of an object, which otherwise does not change. @param value JSON text */
export function addField(object: string, name: string, value: string): string {
  const start = object.trimEnd().slice(0, -1).trimEnd();
  return `${start}${start === '{' ? '' : ','}${JSON.stringify(name)}:${value}}`;
}

/** `event 1 (order.shipped)`, what a table shows of an event. */
export function nameEvent(sequence: Pick<PlayedSequence, 'events'>, index: number): string {
  return `event ${index + 1} (${sequence.events[index]?.type})`;
}

/** Whether an earlier step delivers the event of this step. */
export function isRepeat(steps: readonly PlayedStep[], index: number): boolean {
  const step = steps[index];
  return (
    step?.kind === 'deliver' &&
    steps.slice(0, index).some((earlier) => earlier.kind === 'deliver' && earlier.event === step.event)
  );
}

/** Describes what a step sends or does. */
export function describeStep(sequence: DeliverySequence, step: SequenceStep, index: number): string {
  const timing = 'with_previous' in step && step.with_previous ? ', at the same time' : '';
  switch (step.kind) {
    case 'deliver': {
      const again = isRepeat(sequence.steps, index) ? ' again' : '';
      const other = step.new_delivery ? ', in another delivery' : '';
      const details = listDetails(step, sequence.events[step.event]);
      return [`deliver ${nameEvent(sequence, step.event)}${again}${other}${timing}`, ...details].join(', ');
    }
    case 'attack':
      return `attack with ${nameEvent(sequence, step.event)}: ${attacks[step.attack]}${timing}`;
    case 'burst':
      return `deliver ${formatCount(step.count, 'other event')}${timing}`;
    case 'restart':
      return 'restart the receiver';
  }
}

function listDetails(step: DeliverStep, event: SequenceEvent | undefined): string[] {
  return [
    step.failure === 'lost-response' ? 'lose the response and send it again' : null,
    step.failure === 'cut-request' ? 'cut the request off and send it again' : null,
    step.slow_body ? 'with a slow body' : null,
    step.keep_connection ? 'on a reused connection' : null,
    event?.days_old === undefined ? null : `created ${event.days_old} days ago`,
    event?.padding === undefined ? null : `with ${event.padding} bytes of padding`,
  ].filter((detail) => detail !== null);
}
