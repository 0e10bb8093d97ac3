import { describe, expect, it } from 'vitest';
import { senders } from '../../src/profile/senders.ts';
import { describeFuzzFailure } from '../../src/receivers/fuzz/describe-fuzz-failure.ts';
import { findViolations } from '../../src/receivers/play-rules.ts';
import type { Exchange, PlayRecord } from '../../src/receivers/play-sequence.ts';
import type { ReceiverResponse } from '../../src/receivers/receiver-client.ts';
import type { DeliverySequence, SequenceStep } from '../../src/receivers/sequence.ts';

const ok: ReceiverResponse = respond(204);
const lost: ReceiverResponse = { status: null, problem: 'response lost', durationMs: 1, failure: 'cut' };
const refused: ReceiverResponse = {
  status: null,
  problem: 'connection refused',
  durationMs: 1,
  failure: 'connection',
};
const timeout: ReceiverResponse = {
  status: null,
  problem: 'no response within 15s',
  durationMs: 15_000,
  failure: 'timeout',
};

function respond(status: number): ReceiverResponse {
  return { status, problem: null, durationMs: 1, failure: null, serverTimeMs: Number.NaN };
}

/** A delivery of a step, with one exchange for each response. An event with a text as its ID is one of a burst. */
function exchange(
  step: number | null,
  event: number | string | null,
  ...responses: ReceiverResponse[]
): Exchange[] {
  return responses.map((response, index) => ({
    step,
    attempt: index + 1,
    event: {
      id: event === null ? 'evt_other' : `evt_${event}`,
      index: typeof event === 'number' ? event : null,
    },
    isGenuine: true,
    isDuringRestart: false,
    response,
  }));
}

const deliver = (event: number): SequenceStep => ({ kind: 'deliver', event });
const deliverForged = (event: number): SequenceStep => ({ kind: 'attack', attack: 'forged', event });

/** The steps, and an exchange of each for each of its responses. */
function play(...played: readonly (readonly [SequenceStep, ...ReceiverResponse[]])[]) {
  const exchanges = played.flatMap(([step, ...responses], index) => {
    if (!('event' in step)) return [];
    const sent = exchange(index, step.event, ...responses);
    return step.kind === 'attack' ? sent.map((each) => ({ ...each, isGenuine: false })) : sent;
  });
  return { steps: played.map(([step]) => step), exchanges };
}

function createSequence(steps: SequenceStep[]): DeliverySequence {
  const events: DeliverySequence['events'] = Array(3).fill({ type: 'order.shipped', payload: '{}' });
  return { version: 1, random_seed: 1, run: 1, events, steps };
}

function createRecord(
  steps: readonly SequenceStep[],
  exchanges: readonly Exchange[],
  sideEffects: number | Readonly<Record<string, number>> | null,
): PlayRecord {
  return {
    sequence: createSequence([...steps]),
    exchanges,
    hasAccepted: exchanges.some(({ response: { status } }) => status === 204),
    sideEffects:
      sideEffects === null
        ? null
        : typeof sideEffects === 'number'
          ? { count: sideEffects, countsById: null }
          : { count: 0, countsById: new Map(Object.entries(sideEffects)) },
  };
}

interface Case {
  readonly title: string;
  readonly steps: readonly SequenceStep[];
  readonly exchanges: readonly Exchange[];
  readonly sideEffects?: number | Readonly<Record<string, number>>;
  readonly violations: readonly (readonly [rule: string, step: number | null, message: string])[];
}

const cases: readonly Case[] = [
  {
    title: 'a retry after a lost response or 503 breaks no rule',
    ...play([deliver(0), lost, respond(503), ok]),
    sideEffects: { evt_0: 1 },
    violations: [],
  },
  {
    title: 'a delivery that is finally rejected breaks accepted',
    ...play([deliver(0), respond(400), respond(400)]),
    sideEffects: {},
    violations: [['accepted', 0, 'The delivery of event 1 (order.shipped) got status 400 after 2 attempts.']],
  },
  {
    title: 'a delivery without a response in time breaks accepted',
    ...play([deliver(0), timeout]),
    sideEffects: { evt_0: 1 },
    violations: [
      ['accepted', 0, 'The delivery of event 1 (order.shipped) got no response within 15s after 1 attempt.'],
    ],
  },
  {
    title: 'a server error that a retry fixes breaks no-server-error',
    ...play([deliver(0), respond(500), ok]),
    sideEffects: { evt_0: 1 },
    violations: [['no-server-error', 0, 'The delivery of event 1 (order.shipped) got status 500.']],
  },
  {
    title: 'an attack that is accepted and has a side effect breaks two rules',
    ...play([deliverForged(1), ok]),
    sideEffects: { evt_1: 1 },
    violations: [
      ['rejected', 0, 'The attack got status 204.'],
      ['no-side-effect', 0, 'Event 2 (order.shipped) has a side effect, but only an attacker sent it.'],
    ],
  },
  {
    title: 'an attack that a busy receiver rejects later breaks no rule',
    ...play([deliverForged(0), respond(503), respond(400)]),
    sideEffects: {},
    violations: [],
  },
  {
    title: 'a second side effect breaks once, at the last step with the event',
    ...play([deliver(0), ok], [deliver(1), ok], [deliver(0), ok]),
    sideEffects: { evt_0: 2, evt_1: 1 },
    violations: [['once', 2, 'Event 1 (order.shipped) has 2 side effects.']],
  },
  {
    title: 'a missing side effect breaks processed',
    ...play([deliverForged(0), respond(400)], [deliver(0), ok]),
    sideEffects: {},
    violations: [['processed', 1, 'Event 1 (order.shipped) was accepted and has no side effect.']],
  },
  {
    title: 'a missing side effect of an event that arrives after a later one breaks order',
    ...play([deliver(1), ok], [deliver(0), ok]),
    sideEffects: { evt_1: 1 },
    violations: [['order', 1, 'Event 1 (order.shipped) was accepted and has no side effect.']],
  },
  {
    title: 'a receiver that closes its port after a burst breaks running',
    steps: [{ kind: 'burst', count: 1 }],
    exchanges: [...exchange(0, null, ok), ...exchange(null, null, refused)],
    sideEffects: { evt_other: 1 },
    violations: [['running', null, 'A delivery sent after the sequence failed (connection refused).']],
  },
  {
    title: 'a count that is too low breaks processed',
    ...play([deliver(0), ok], [deliver(1), ok]),
    sideEffects: 1,
    violations: [['processed', 1, '1 side effect instead of 2.']],
  },
  {
    title: 'a count that is too low after a later event breaks order',
    ...play([deliver(1), ok], [deliver(0), ok]),
    sideEffects: 1,
    violations: [['order', 1, '1 side effect instead of 2.']],
  },
  {
    title: 'a count that is too high after a lost response and an attack breaks once',
    ...play(
      [{ kind: 'deliver', event: 0, failure: 'lost-response' }, lost, ok],
      [deliverForged(1), respond(400)],
    ),
    sideEffects: 2,
    violations: [['once', 1, '2 side effects instead of 1.']],
  },
  {
    title: 'a missing side effect of a late event breaks processed if an attack used its ID before',
    ...play([deliver(1), ok], [deliverForged(0), respond(400)], [deliver(0), ok]),
    sideEffects: { evt_1: 1 },
    violations: [['processed', 2, 'Event 1 (order.shipped) was accepted and has no side effect.']],
  },
  {
    title: 'a server error during a restart breaks no rule',
    steps: [{ kind: 'restart' }, deliver(0)],
    exchanges: [
      ...exchange(1, 0, respond(502)).map((sent) => ({ ...sent, isDuringRestart: true })),
      ...exchange(1, 0, respond(502), ok).slice(1),
    ],
    sideEffects: { evt_0: 1 },
    violations: [],
  },
  {
    title: 'a rate limit breaks accepted if the receiver has never accepted a delivery',
    ...play([deliver(0), respond(429)]),
    sideEffects: {},
    violations: [['accepted', 0, 'The delivery of event 1 (order.shipped) got status 429 after 1 attempt.']],
  },
  {
    title: 'a receiver that has never accepted a delivery was not stopped by the sequence',
    steps: [deliver(0)],
    exchanges: [...exchange(0, 0, respond(400)), ...exchange(null, null, refused)],
    sideEffects: {},
    violations: [['accepted', 0, 'The delivery of event 1 (order.shipped) got status 400 after 1 attempt.']],
  },
  {
    title: 'the last attempt of the delivery after the sequence decides whether the receiver runs',
    steps: [deliver(0)],
    exchanges: [...exchange(0, 0, ok), ...exchange(null, null, refused, ok)],
    sideEffects: { evt_0: 1, evt_other: 1 },
    violations: [],
  },
  {
    title: 'a burst can break accepted, no-server-error and processed',
    steps: [{ kind: 'burst', count: 3 }],
    exchanges: [
      ...exchange(0, 'a', ok),
      ...exchange(0, 'b', respond(500), ok),
      ...exchange(0, 'c', respond(400)),
      ...exchange(0, 'd', ok),
    ],
    sideEffects: { evt_a: 1, evt_b: 1 },
    violations: [
      ['no-server-error', 0, 'A delivery of the burst got status 500.'],
      ['accepted', 0, 'A delivery of the burst got status 400 after 1 attempt.'],
      ['processed', null, 'An event of the burst was accepted and has no side effect.'],
    ],
  },
  {
    title: 'a server error after the sequence breaks no-server-error',
    steps: [deliver(0)],
    exchanges: [...exchange(0, 0, ok), ...exchange(null, 'a', respond(500)), ...exchange(null, 'b', ok)],
    sideEffects: { evt_0: 1, evt_a: 1, evt_b: 1 },
    violations: [['no-server-error', null, 'A delivery sent after the sequence got status 500.']],
  },
  ...[0, 1, 2, 3].map((sideEffects) => ({
    title: `a count of ${sideEffects} with one rejected and one accepted event is in its range or not`,
    ...play([deliver(0), respond(400)], [deliver(1), ok]),
    sideEffects,
    violations: [
      ['accepted', 0, 'The delivery of event 1 (order.shipped) got status 400 after 1 attempt.'] as const,
      ...(sideEffects === 0 ? [['processed', 1, '0 side effects instead of 1 to 2.'] as const] : []),
      ...(sideEffects === 3 ? [['once', 1, '3 side effects instead of 1 to 2.'] as const] : []),
    ],
  })),
  {
    title: 'an event whose delivery is not the last one breaks processed at its own step',
    steps: [deliver(0), deliver(1), deliver(2)],
    exchanges: [0, 1, 2].flatMap((event) => exchange(event, event, ok)),
    sideEffects: { evt_1: 1, evt_2: 1 },
    violations: [['processed', 0, 'Event 1 (order.shipped) was accepted and has no side effect.']],
  },
  {
    title: 'a missing side effect of a late event breaks order if an attack used another ID',
    ...play([deliver(1), ok], [deliverForged(2), respond(400)], [deliver(0), ok]),
    sideEffects: { evt_1: 1 },
    violations: [['order', 2, 'Event 1 (order.shipped) was accepted and has no side effect.']],
  },
  {
    title: 'a missing side effect breaks processed if only an attack used a later event before',
    ...play([deliverForged(1), respond(400)], [deliver(0), ok]),
    sideEffects: {},
    violations: [['processed', 1, 'Event 1 (order.shipped) was accepted and has no side effect.']],
  },
];

/** Sequences whose count of side effects is one too high, and the rule that they break. */
const excessCases: readonly (readonly [string, readonly SequenceStep[], string])[] = [
  ['a single delivery', [deliver(0)], 'once'],
  ['different deliveries', [deliver(0), deliver(1)], 'once'],
  ['an attack on an event that was delivered', [deliver(0), deliverForged(0)], 'no-side-effect'],
  ['an attack on an event before it is delivered', [deliverForged(0), deliver(0)], 'no-side-effect'],
  ['an attack between different deliveries', [deliver(0), deliverForged(2), deliver(1)], 'no-side-effect'],
  ['an attack before a repeat', [deliverForged(1), deliver(0), deliver(0)], 'once'],
  ['an attack after a repeat', [deliver(0), deliver(0), deliverForged(1)], 'once'],
];

describe('findViolations', () => {
  it.each(cases)('findViolations says that $title', ({ steps, exchanges, sideEffects, violations }) => {
    const found = findViolations(createRecord(steps, exchanges, sideEffects ?? null));
    expect(found.map(({ rule, step, message }) => [rule, step, message])).toEqual(violations);
  });

  it.each(excessCases)('a count that is one too high with %s breaks a rule: %j → %s', (_, steps, rule) => {
    const { exchanges } = play(
      ...steps.map((step) => [step, step.kind === 'attack' ? respond(400) : ok] as const),
    );
    const accepted = new Set(exchanges.filter(({ isGenuine }) => isGenuine).map(({ event }) => event.id))
      .size;
    const violations = findViolations(createRecord(steps, exchanges, accepted + 1));
    expect(violations.map((violation) => violation.rule)).toEqual([rule]);
  });

  it('a missing side effect of an event breaks processed if only an event that is days old arrived before', () => {
    const record = createRecord(
      [deliver(2), deliver(0)],
      [2, 0].flatMap((event, step) => exchange(step, event, ok)),
      { evt_2: 1 },
    );
    const events = record.sequence.events.map((event, index) =>
      index === 2 ? { ...event, days_old: 1 } : event,
    );
    const [violation] = findViolations({ ...record, sequence: { ...record.sequence, events } });
    expect(violation).toMatchObject({ rule: 'processed', step: 1 });
  });

  it('a missing side effect of an event that is days old breaks order', () => {
    const record = createRecord([deliver(0)], exchange(0, 0, ok), {});
    const events = [{ type: 'order.shipped', payload: '{}', days_old: 3 }];
    const [violation] = findViolations({ ...record, sequence: { ...record.sequence, events } });
    expect(violation?.rule).toBe('order');
  });

  it('without side effects only the responses are evaluated', () => {
    expect(findViolations(createRecord([deliver(0)], exchange(0, 0, ok), null))).toEqual([]);
  });
});

it('the failure of a fuzz run shows what each step sent and received, and which rule it broke', () => {
  const steps: SequenceStep[] = [
    { ...deliver(0), kind: 'deliver', event: 0, failure: 'lost-response' },
    { kind: 'burst', count: 6 },
  ];
  const burst = Array.from({ length: 6 }, (_, index) =>
    exchange(1, null, index === 2 ? respond(429) : ok),
  ).flat();
  const record = createRecord(steps, [...exchange(0, 0, lost, ok), ...burst], null);
  const violation = { rule: 'once', step: 0, message: '' } as const;
  const sequence = createSequence(steps);
  const failing = { sequence, record, violations: [violation], violation };
  expect(describeFuzzFailure(failing, { type: 'a.b', payload: '{}' }, senders.svc).steps).toEqual([
    {
      step: 1,
      sent: 'deliver event 1 (order.shipped), lose the response and send it again',
      received: 'response lost, status 204',
      broken: ['once'],
    },
    { step: 2, sent: 'deliver 6 other events', received: '5 × status 204, status 429', broken: [] },
  ]);
});
