/** Generates random sequences with fast-check. Only fuzzing loads this file. */
import * as fc from 'fast-check';
import { type AttackName, attackNames, type Variation } from '../../domain/variations.ts';
import type { WebhookSender } from '../../profile/senders.ts';
import {
  addField,
  createUnknownEvent,
  type DeliverySequence,
  type EventTemplate,
  normalizeSequence,
  SEQUENCE_VERSION,
  type SequenceStep,
  sortEventsByFirstStep,
  UNKNOWN_FIELD,
} from '../sequence.ts';

interface RandomSequenceOptions {
  readonly sender: WebhookSender;
  readonly randomSeed: number;
  /** The number of the run, which also decides how long a sequence may get. */
  readonly run: number;
  readonly events: readonly EventTemplate[];
  readonly enabled: ReadonlySet<Variation>;
}

const EVENT_COUNT = 6;
const MAX_STEPS_BY_RUN = [4, 8, 16, 30] as const;
const MAX_PADDING = 200_000;
const MAX_BURST = 150;
const DELIVERIES_PER_OTHER_STEP = 2;
/** So that a sequence is not full of bursts, which take long, if nothing else is enabled. */
const MIN_DELIVER_WEIGHT = 40;
/** Some JSON parsers accept no more than 100 levels. */
const MAX_NESTING = 40;

/** The sequence of a run: the same for the same options, with at least one step. */
export function createRandomSequence(options: RandomSequenceOptions): DeliverySequence {
  // Each run has its own seed, so that a single run can be repeated.
  const [sequence] = fc.sample(createSequenceArbitrary(options), { seed: toRunSeed(options), numRuns: 1 });
  return sequence as DeliverySequence;
}

function toRunSeed({ randomSeed, run }: RandomSequenceOptions): number {
  return (Math.imul(randomSeed, 0x9e3779b1) ^ Math.imul(run + 1, 0x85ebca6b)) | 0;
}

function createSequenceArbitrary(options: RandomSequenceOptions): fc.Arbitrary<DeliverySequence> {
  const { randomSeed, run, enabled } = options;
  const maxLength = MAX_STEPS_BY_RUN[run % MAX_STEPS_BY_RUN.length] ?? 4;
  return fc
    .record({
      events: fc.array(createEventArbitrary(options), { minLength: EVENT_COUNT, maxLength: EVENT_COUNT }),
      blocks: fc.array(createBlockArbitrary(enabled), { minLength: 1, maxLength, size: 'max' }),
    })
    .map(({ events, blocks }) => {
      const steps = blocks.flat().slice(0, maxLength);
      // Without the fields that are undefined.
      const sequence = JSON.parse(JSON.stringify({ events, steps })) as Pick<
        DeliverySequence,
        'events' | 'steps'
      >;
      return removeDisabled(
        { version: SEQUENCE_VERSION, random_seed: randomSeed, run, ...sequence },
        enabled,
      );
    });
}

/** A step whose optional fields can be undefined. */
type RandomStep = SequenceStep extends infer Step
  ? { readonly [Name in keyof Step]: Step[Name] | (undefined extends Step[Name] ? undefined : never) }
  : never;

/** The index of an event. */
const event = fc.nat({ max: EVENT_COUNT - 1 });

/** An event of a template, sometimes with an unusual payload, or one of an unknown type. */
function createEventArbitrary({ sender, events, enabled }: RandomSequenceOptions) {
  const hasPayload = enabled.has('payload');
  // Payload bodies have fixed fields; only additional ones can vary.
  const isEnvelope = sender.body === 'envelope';
  const usual = fc.constantFrom(...events);
  const unusual = createJsonArbitrary();
  const withField = fc
    .tuple(usual, unusual)
    .map(([{ type, payload }, field]) => ({ type, payload: addField(payload, UNKNOWN_FIELD, field) }));
  const payload =
    hasPayload && isEnvelope
      ? createObjectArbitrary(unusual, 0, 3)
      : usual.map((template) => template.payload);
  const template = fc.oneof(
    { arbitrary: usual, weight: 5 },
    { arbitrary: withField, weight: hasPayload ? 3 : 0 },
    {
      arbitrary: usual.map(({ type }) => ({ type, payload: '{}' })),
      weight: hasPayload && isEnvelope ? 1 : 0,
    },
    {
      // Not null, because otherwise the variation is not enabled.
      arbitrary: payload
        .map((text) => createUnknownEvent(sender, { payload: text }))
        .filter((event) => event !== null),
      weight: enabled.has('unknown-type') ? 1 : 0,
    },
  );
  return fc
    .record({
      template,
      padding: rarely(
        12,
        hasPayload && sender.hasLargeBodies === true,
        fc.integer({ min: 1, max: MAX_PADDING }),
      ),
      days_old: rarely(6, enabled.has('old-event'), fc.integer({ min: 1, max: 6 })),
    })
    .map(({ template, ...fields }) => ({ ...template, ...fields }));
}

/** Undefined in all but one of `frequency` cases. */
function rarely<Value>(frequency: number, isEnabled: boolean, arbitrary: fc.Arbitrary<Value>) {
  return fc.oneof(
    { arbitrary: fc.constant(undefined), weight: frequency - 1 },
    { arbitrary, weight: isEnabled ? 1 : 0 },
  );
}

/** Texts that parsers and databases often handle badly. Never U+0000, which many databases cannot store. */
const texts = [
  'plain',
  'e\u0301 A\u030a \u1100\u1161',
  '\u{1f469}\u200d\u{1f4bb} \u{1d49c}',
  '\u2028\u2029\u00a0\ufeff',
  '<script>&amp;</script>',
  '"\\/\b\f\n\r\t',
  '\u202e\u05e9\u05dc\u05d5\u05dd',
  '\u0001\u001f\u007f\u0085',
];
/** JSON texts, separated by spaces. */
const numbers =
  '0 9007199254740993 -9223372036854775808 18446744073709551616 123456789012345678901234567890 0.1000000000000000055 1.0 1E5 -0 1e-7';
const otherValues = 'null true [] {} "" "\\u0041\\u00e9\\/" [1\t,\t2]';
const names = 'a id data type constructor  caf\u00e9 cafe\u0301 1 a.b created_at';

function createJsonArbitrary(): fc.Arbitrary<string> {
  const random = fc.string({ unit: 'grapheme', maxLength: 12 }).filter((value) => !value.includes('\0'));
  const leaf = fc.oneof(
    fc.constantFrom(...numbers.split(' ')),
    fc.constantFrom(...texts).map((value) => JSON.stringify(value)),
    random.map((value) => JSON.stringify(value)),
    fc.constantFrom(...otherValues.split(' ')),
  );
  const nested = fc
    .integer({ min: 1, max: MAX_NESTING })
    .map((depth) => `${'{"a":['.repeat(depth >> 1)}0${']}'.repeat(depth >> 1)}`);
  return fc.oneof(
    { arbitrary: leaf, weight: 4 },
    { arbitrary: nested, weight: 1 },
    { arbitrary: createObjectArbitrary(leaf, 1, 4), weight: 1 },
  );
}

/** JSON texts of objects. Of two fields with the same name they have the last. */
function createObjectArbitrary(value: fc.Arbitrary<string>, minLength: number, maxLength: number) {
  return fc
    .array(fc.tuple(fc.constantFrom(...names.split(' ')), value), { minLength, maxLength })
    .map(
      (fields) =>
        `{${Array.from(new Map(fields), ([name, json]) => `${JSON.stringify(name)}:${json}`).join()}}`,
    );
}

/** One step, or two to four that are likely to show a defect together. */
function createBlockArbitrary(enabled: ReadonlySet<Variation>): fc.Arbitrary<readonly RandomStep[]> {
  const enabledAttacks = attackNames.filter((name) => enabled.has(name));
  const attack = fc.constantFrom(...(enabledAttacks.length === 0 ? attackNames : enabledAttacks));
  const hasAttacks = enabledAttacks.length > 0;
  const copies = fc
    .tuple(event, fc.integer({ min: 1, max: 3 }))
    .map(([event, count]): RandomStep[] => [
      { kind: 'deliver', event },
      ...Array<RandomStep>(count).fill({ kind: 'deliver', event, with_previous: true }),
    ]);
  const attackFirst = fc.tuple(event, attack).map(([event, attack]): RandomStep[] => [
    { kind: 'attack', attack, event },
    { kind: 'deliver', event },
  ]);
  return fc.oneof(
    { arbitrary: createStepArbitrary(enabled, attack, hasAttacks).map((step) => [step]), weight: 16 },
    { arbitrary: copies, weight: enabled.has('duplicate') && enabled.has('concurrent') ? 2 : 0 },
    { arbitrary: attackFirst, weight: hasAttacks ? 2 : 0 },
  );
}

function createStepArbitrary(
  enabled: ReadonlySet<Variation>,
  attack: fc.Arbitrary<AttackName>,
  hasAttacks: boolean,
): fc.Arbitrary<RandomStep> {
  const isTrue = fc.constant<true>(true);
  const isConcurrent = (frequency: number) => rarely(frequency, enabled.has('concurrent'), isTrue);
  const failures = (['lost-response', 'cut-request'] as const).filter((name) => enabled.has(name));
  const deliver = fc.record({
    kind: fc.constant('deliver' as const),
    event,
    with_previous: isConcurrent(3),
    new_delivery: rarely(2, enabled.has('duplicate'), isTrue),
    failure: failures.length === 0 ? fc.constant(undefined) : rarely(8, true, fc.constantFrom(...failures)),
    slow_body: rarely(12, enabled.has('slow-body'), isTrue),
    keep_connection: rarely(2, enabled.has('kept-connection'), isTrue),
  });
  const others = [
    {
      arbitrary: fc.record({
        kind: fc.constant('attack' as const),
        attack,
        event,
        with_previous: isConcurrent(6),
      }),
      weight: hasAttacks ? 48 : 0,
    },
    {
      arbitrary: fc.record({
        kind: fc.constant('burst' as const),
        count: fc.integer({ min: 1, max: MAX_BURST }),
        with_previous: isConcurrent(3),
      }),
      weight: enabled.has('burst') ? 3 : 0,
    },
    { arbitrary: fc.constant({ kind: 'restart' as const }), weight: enabled.has('restart') ? 8 : 0 },
  ];
  const otherWeight = others.reduce((total, { weight }) => total + weight, 0);
  const weight = Math.max(MIN_DELIVER_WEIGHT, DELIVERIES_PER_OTHER_STEP * otherWeight);
  return fc.oneof({ arbitrary: deliver, weight }, ...others);
}

/** Removes repeats and changes of order if they are not enabled, and the events that are not used. */
function removeDisabled(sequence: DeliverySequence, enabled: ReadonlySet<Variation>): DeliverySequence {
  const deliveredEvents = new Set<number>();
  const steps = sequence.steps.filter((step) => {
    if (step.kind !== 'deliver' || enabled.has('duplicate')) return true;
    const isNew = !deliveredEvents.has(step.event);
    deliveredEvents.add(step.event);
    return isNew;
  });
  const restricted = normalizeSequence({ ...sequence, steps });
  return enabled.has('reordered') ? restricted : sortEventsByFirstStep(restricted);
}
