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
/** Objects with an array, each in the one before. Some JSON parsers accept no more than 100 levels. */
const MAX_NESTED_PAIRS = 20;

/** The sequence of a run: the same for the same options, with at least one step. */
export function createRandomSequence(options: RandomSequenceOptions): DeliverySequence {
  const { randomSeed: random_seed, run, enabled } = options;
  const maxLength = MAX_STEPS_BY_RUN[run % MAX_STEPS_BY_RUN.length] ?? 4;
  const parts = fc.record({
    events: fc.array(createEventArbitrary(options), { minLength: EVENT_COUNT, maxLength: EVENT_COUNT }),
    blocks: fc.array(createBlockArbitrary(enabled), { minLength: 1, maxLength, size: 'max' }),
  });
  // Each run has its own seed, so that a single run can be repeated.
  const seed = (Math.imul(random_seed, 0x9e3779b1) ^ Math.imul(run + 1, 0x85ebca6b)) | 0;
  const [{ events, blocks } = { events: [], blocks: [] }] = fc.sample(parts, { seed, numRuns: 1 });
  const steps = blocks.flat().slice(0, maxLength);
  // Without the fields that are undefined.
  const sequence = JSON.parse(JSON.stringify({ version: SEQUENCE_VERSION, random_seed, run, events, steps }));
  return removeDisabled(sequence, enabled);
}

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
  const empty = usual.map(({ type }) => ({ type, payload: '{}' }));
  // Not null, because otherwise the variation is not enabled.
  const unknown = payload
    .map((text) => createUnknownEvent(sender, { payload: text }))
    .filter((event) => event !== null);
  const template = fc.oneof(
    weighted(5, usual),
    weighted(hasPayload ? 3 : 0, withField),
    weighted(hasPayload && isEnvelope ? 1 : 0, empty),
    weighted(enabled.has('unknown-type') ? 1 : 0, unknown),
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
  return fc.oneof(weighted(frequency - 1, fc.constant(undefined)), weighted(isEnabled ? 1 : 0, arbitrary));
}

/** A choice of `fc.oneof`. */
function weighted<Value>(weight: number, arbitrary: fc.Arbitrary<Value>): fc.WeightedArbitrary<Value> {
  return { weight, arbitrary };
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
    .integer({ min: 1, max: MAX_NESTED_PAIRS })
    .map((pairs) => `${'{"a":['.repeat(pairs)}0${']}'.repeat(pairs)}`);
  return fc.oneof(weighted(4, leaf), weighted(1, nested), weighted(1, createObjectArbitrary(leaf, 1, 4)));
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
function createBlockArbitrary(enabled: ReadonlySet<Variation>): fc.Arbitrary<readonly SequenceStep[]> {
  const enabledAttacks = attackNames.filter((name) => enabled.has(name));
  const attack = fc.constantFrom(...(enabledAttacks.length === 0 ? attackNames : enabledAttacks));
  const hasAttacks = enabledAttacks.length > 0;
  const copies = fc
    .tuple(event, fc.integer({ min: 1, max: 3 }))
    .map(([event, count]): SequenceStep[] => [
      { kind: 'deliver', event },
      ...Array<SequenceStep>(count).fill({ kind: 'deliver', event, with_previous: true }),
    ]);
  const attackFirst = fc.tuple(event, attack).map(([event, attack]): SequenceStep[] => [
    { kind: 'attack', attack, event },
    { kind: 'deliver', event },
  ]);
  const single = createStepArbitrary(enabled, attack, hasAttacks).map((step) => [step]);
  return fc.oneof(
    weighted(16, single),
    weighted(enabled.has('duplicate') && enabled.has('concurrent') ? 2 : 0, copies),
    weighted(hasAttacks ? 2 : 0, attackFirst),
  );
}

function createStepArbitrary(
  enabled: ReadonlySet<Variation>,
  attack: fc.Arbitrary<AttackName>,
  hasAttacks: boolean,
): fc.Arbitrary<SequenceStep> {
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
  const tampered = fc.record({
    kind: fc.constant('attack' as const),
    attack,
    event,
    with_previous: isConcurrent(6),
  });
  const burst = fc.record({
    kind: fc.constant('burst' as const),
    count: fc.integer({ min: 1, max: MAX_BURST }),
    with_previous: isConcurrent(3),
  });
  const others = [
    weighted<SequenceStep>(hasAttacks ? 48 : 0, tampered),
    weighted<SequenceStep>(enabled.has('burst') ? 3 : 0, burst),
    weighted<SequenceStep>(enabled.has('restart') ? 8 : 0, fc.constant({ kind: 'restart' })),
  ];
  const otherWeight = others.reduce((total, { weight }) => total + weight, 0);
  const weight = Math.max(MIN_DELIVER_WEIGHT, DELIVERIES_PER_OTHER_STEP * otherWeight);
  return fc.oneof(weighted<SequenceStep>(weight, deliver), ...others);
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
