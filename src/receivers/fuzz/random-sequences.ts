/** Generates random sequences with fast-check. Only fuzzing loads this file. */
import * as fc from 'fast-check';
import { type AttackName, attackNames, type Variation } from '../../domain/variations.ts';
import {
  addField,
  type DeliverySequence,
  type EventTemplate,
  FUZZ_FIELD,
  normalizeSequence,
  SEQUENCE_VERSION,
  type SequenceEvent,
  type SequenceStep,
  sortEventsByFirstStep,
  UNKNOWN_TYPE,
} from '../sequence.ts';

interface RandomSequenceOptions {
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
const MAX_PAUSE_MS = 3_000;
/** Some receivers forget an ID after two seconds. */
const MIN_LATE_REPEAT_MS = 2_050;
/** One in this many runs starts with a repeat after a pause, so that 100 runs contain at least four. More would take too long. */
const LATE_REPEAT_INTERVAL = 25;
const DELIVERIES_PER_OTHER_STEP = 2;
/** So that a sequence is not full of bursts and pauses, which take long, if nothing else is enabled. */
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
  const event = createEventArbitrary(options);
  return fc
    .record({
      events: fc.array(event, { minLength: EVENT_COUNT, maxLength: EVENT_COUNT }),
      start: isLateRepeatRun(options) ? createLateRepeatArbitrary() : fc.constant([]),
      blocks: fc.array(createBlockArbitrary(enabled), { minLength: 1, maxLength, size: 'max' }),
    })
    .map(({ events, start, blocks }) => {
      const steps = [...start, ...blocks.flat()].slice(0, maxLength);
      return removeDisabled(
        { version: SEQUENCE_VERSION, random_seed: randomSeed, run, events, steps },
        enabled,
      );
    });
}

function isLateRepeatRun({ run, enabled }: RandomSequenceOptions): boolean {
  return (
    enabled.has('duplicate') &&
    enabled.has('pause') &&
    run % LATE_REPEAT_INTERVAL === LATE_REPEAT_INTERVAL - 1
  );
}

function createLateRepeatArbitrary(): fc.Arbitrary<readonly SequenceStep[]> {
  return fc
    .record({
      event: createEventIndexArbitrary(),
      ms: fc.integer({ min: MIN_LATE_REPEAT_MS, max: MAX_PAUSE_MS }),
      isNewDelivery: fc.boolean(),
    })
    .map(({ event, ms, isNewDelivery }): readonly SequenceStep[] => [
      { kind: 'deliver', event },
      { kind: 'pause', ms },
      { kind: 'deliver', event, ...(isNewDelivery && { new_delivery: true }) },
    ]);
}

/** One of the events of a sequence. */
function createEventIndexArbitrary(): fc.Arbitrary<number> {
  return fc.nat({ max: EVENT_COUNT - 1 });
}

/** An event of a template, sometimes with an unusual payload, or one of an unknown type. */
function createEventArbitrary({ events, enabled }: RandomSequenceOptions): fc.Arbitrary<SequenceEvent> {
  const usual = fc.constantFrom(...events);
  const unusual = createJsonArbitrary();
  const withField = fc
    .tuple(usual, unusual)
    .map(([{ type, payload }, field]) => ({ type, payload: addField(payload, FUZZ_FIELD, field) }));
  const empty = usual.map(({ type }) => ({ type, payload: '{}' }));
  const anyPayload = fc.array(fc.tuple(createNameArbitrary(), unusual), { maxLength: 3 }).map(toObjectText);
  const unknown = (enabled.has('payload') ? anyPayload : usual.map(({ payload }) => payload)).map(
    (payload) => ({ type: UNKNOWN_TYPE, payload }),
  );
  const payload = fc.oneof(
    { arbitrary: usual, weight: 5 },
    ...(enabled.has('payload')
      ? [
          { arbitrary: withField, weight: 3 },
          { arbitrary: empty, weight: 1 },
        ]
      : []),
    ...(enabled.has('unknown-type') ? [{ arbitrary: unknown, weight: 1 }] : []),
  );
  return fc
    .record({
      event: payload,
      padding: enabled.has('payload')
        ? rarely(fc.integer({ min: 1, max: MAX_PADDING }), 12)
        : fc.constant(null),
      days_old: enabled.has('old-event') ? rarely(fc.integer({ min: 1, max: 6 }), 6) : fc.constant(null),
    })
    .map(({ event, padding, days_old }) => ({
      ...event,
      ...(padding !== null && { padding }),
      ...(days_old !== null && { days_old }),
    }));
}

/** Null in all but one of `frequency` cases. */
function rarely<Value>(arbitrary: fc.Arbitrary<Value>, frequency: number): fc.Arbitrary<Value | null> {
  return fc.oneof({ arbitrary: fc.constant(null), weight: frequency - 1 }, { arbitrary, weight: 1 });
}

/** The JSON text of an object. Of two fields with the same name it has the last. */
function toObjectText(fields: readonly (readonly [name: string, json: string])[]): string {
  return `{${Array.from(new Map(fields), ([name, json]) => `${JSON.stringify(name)}:${json}`).join()}}`;
}

/** JSON texts that parsers and databases often handle badly. Never U+0000, which many databases cannot store. */
function createJsonArbitrary(): fc.Arbitrary<string> {
  const text = fc.constantFrom(
    'plain',
    'e\u0301 A\u030a \u1100\u1161',
    '\u{1f469}\u200d\u{1f4bb} \u{1d49c}',
    '\u2028\u2029\u00a0\ufeff',
    '<script>&amp;</script>',
    '"\\/\b\f\n\r\t',
    '\u202e\u05e9\u05dc\u05d5\u05dd',
    '\u0001\u001f\u007f\u0085',
  );
  const random = fc.string({ unit: 'grapheme', maxLength: 12 }).filter((value) => !value.includes('\0'));
  const numbers = fc.constantFrom(
    '0',
    '9007199254740993',
    '-9223372036854775808',
    '18446744073709551616',
    '123456789012345678901234567890',
    '0.1000000000000000055',
    '1.0',
    '1E5',
    '-0',
    '1e-7',
  );
  const leaf = fc.oneof(
    numbers,
    text.map((value) => JSON.stringify(value)),
    random.map((value) => JSON.stringify(value)),
    fc.constantFrom('null', 'true', '[]', '{}', '""', '"\\u0041\\u00e9\\/"', '[ 1 , 2 ]'),
  );
  const nested = fc
    .integer({ min: 1, max: MAX_NESTING })
    .map((depth) => `${'{"a":['.repeat(depth >> 1)}0${']}'.repeat(depth >> 1)}`);
  const object = fc
    .array(fc.tuple(createNameArbitrary(), leaf), { minLength: 1, maxLength: 4 })
    .map(toObjectText);
  return fc.oneof(
    { arbitrary: leaf, weight: 4 },
    { arbitrary: nested, weight: 1 },
    { arbitrary: object, weight: 1 },
  );
}

function createNameArbitrary(): fc.Arbitrary<string> {
  return fc.constantFrom(
    'a',
    'id',
    'data',
    'type',
    'constructor',
    '',
    'caf\u00e9',
    'cafe\u0301',
    '1',
    'a.b',
    'created_at',
  );
}

/** One step, or two to four that are likely to show a defect together. */
function createBlockArbitrary(enabled: ReadonlySet<Variation>): fc.Arbitrary<readonly SequenceStep[]> {
  const event = createEventIndexArbitrary();
  const blocks: fc.WeightedArbitrary<readonly SequenceStep[]>[] = [
    { arbitrary: createStepArbitrary(enabled).map((step) => [step]), weight: 16 },
  ];
  if (enabled.has('duplicate') && enabled.has('concurrent')) {
    const copies = fc
      .tuple(event, fc.integer({ min: 1, max: 3 }))
      .map(([event, count]): SequenceStep[] => [
        { kind: 'deliver', event },
        ...Array<SequenceStep>(count).fill({ kind: 'deliver', event, with_previous: true }),
      ]);
    blocks.push({ arbitrary: copies, weight: 2 });
  }
  const names = attackNames.filter((name) => enabled.has(name));
  if (names.length > 0) {
    const attackFirst = fc.tuple(event, fc.constantFrom(...names)).map(([event, attack]): SequenceStep[] => [
      { kind: 'attack', attack, event },
      { kind: 'deliver', event },
    ]);
    blocks.push({ arbitrary: attackFirst, weight: 2 });
  }
  return fc.oneof(...blocks);
}

function createStepArbitrary(enabled: ReadonlySet<Variation>): fc.Arbitrary<SequenceStep> {
  const event = createEventIndexArbitrary();
  const deliver = fc
    .record({
      event,
      with_previous: when(enabled.has('concurrent'), 3),
      new_delivery: when(enabled.has('duplicate'), 2),
      failure: optional(
        (['lost-response', 'cut-request'] as const).filter((name) => enabled.has(name)),
        8,
      ),
      slow_body: when(enabled.has('slow-body'), 12),
      second_signature: optional(enabled.has('rotation') ? (['after', 'before'] as const) : [], 8),
      keep_connection: when(enabled.has('kept-connection'), 2),
    })
    .map((step): SequenceStep => omitUndefined({ kind: 'deliver', ...step }));
  const enabledAttacks = attackNames.filter((name) => enabled.has(name));
  const choices: fc.WeightedArbitrary<SequenceStep>[] = [];
  const add = (condition: boolean, weight: number, arbitrary: fc.Arbitrary<SequenceStep>) => {
    if (condition) choices.push({ arbitrary, weight });
  };
  add(enabledAttacks.length > 0, 48, createAttackArbitrary(enabledAttacks, event, enabled));
  add(
    enabled.has('burst'),
    3,
    fc
      .record({
        count: fc.integer({ min: 1, max: MAX_BURST }),
        with_previous: when(enabled.has('concurrent'), 3),
      })
      .map((step): SequenceStep => omitUndefined({ kind: 'burst', ...step })),
  );
  add(
    enabled.has('pause'),
    1,
    fc.integer({ min: 1, max: MAX_PAUSE_MS }).map((ms): SequenceStep => ({ kind: 'pause', ms })),
  );
  add(enabled.has('restart'), 8, fc.constant<SequenceStep>({ kind: 'restart' }));
  const otherWeight = choices.reduce((total, { weight }) => total + weight, 0);
  const weight = Math.max(MIN_DELIVER_WEIGHT, DELIVERIES_PER_OTHER_STEP * otherWeight);
  return fc.oneof({ arbitrary: deliver, weight }, ...choices);
}

function createAttackArbitrary(
  names: readonly AttackName[],
  event: fc.Arbitrary<number>,
  enabled: ReadonlySet<Variation>,
): fc.Arbitrary<SequenceStep> {
  return fc
    .record({
      attack: names.length === 0 ? fc.constant<AttackName>('forged') : fc.constantFrom(...names),
      event,
      with_previous: when(enabled.has('concurrent'), 6),
    })
    .map((step): SequenceStep => omitUndefined({ kind: 'attack', ...step }));
}

/** `true` in one of `frequency` cases, otherwise undefined. */
function when(isEnabled: boolean, frequency: number): fc.Arbitrary<true | undefined> {
  return optional(isEnabled ? ([true] as const) : [], frequency);
}

function optional<Value>(values: readonly Value[], frequency: number): fc.Arbitrary<Value | undefined> {
  if (values.length === 0) return fc.constant(undefined);
  return fc.oneof(
    { arbitrary: fc.constant(undefined), weight: frequency - 1 },
    { arbitrary: fc.constantFrom(...values), weight: 1 },
  );
}

/** Makes the fields optional that can be undefined. */
type WithoutUndefined<Step> = {
  readonly [Name in keyof Step as undefined extends Step[Name] ? never : Name]: Step[Name];
} & {
  readonly [Name in keyof Step as undefined extends Step[Name] ? Name : never]?: Exclude<
    Step[Name],
    undefined
  >;
};

function omitUndefined<const Step extends object>(step: Step): WithoutUndefined<Step> {
  const entries = Object.entries(step).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as WithoutUndefined<Step>;
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
