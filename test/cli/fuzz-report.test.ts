import { expect, it } from 'vitest';
import { renderFuzzReport } from '../../src/cli/render/fuzz-report.ts';
import type { FuzzReport } from '../../src/receivers/fuzz/fuzz.ts';
import { toReport } from '../../src/receivers/receiver-check.ts';

const failure: NonNullable<FuzzReport['failure']> = {
  rule: 'once',
  reference: '§6.6',
  summary: 'an event has its side effect only once',
  message: 'Event 1 has 2 side effects.',
  reason: 'The service delivers at least once.',
  remedy: 'Store data.id.',
  original_steps: 1,
  steps: [{ step: 1, sent: 'deliver event 1', received: 'status 204', broken: ['once'] }],
  unusual_events: [400, 401].map((length, event) => ({ event, payload: '1'.repeat(length) })),
  sequence: { version: 1, random_seed: 7, run: 0, events: [], steps: [] },
};
const report: FuzzReport = {
  ...toReport([], false),
  runs: 100,
  requests: 1_203,
  duration_ms: 21_449,
  random_seed: 7,
  side_effects: 'ids',
  variations: [],
  failure: null,
};
const render = (change: Partial<FuzzReport>) =>
  renderFuzzReport({ ...report, ...change }, { color: false, width: 999, unicode: false });

it.each<[Partial<FuzzReport>, string]>([
  [{}, 'Played 100 sequences with 1203 deliveries in 21.4s, random seed 7. None broke a rule.'],
  [
    { failure, interrupted: true, runs: 1, requests: 1 },
    'Interrupted after 1 sequence with 1 delivery in 21.4s, random seed 7. One broke a rule.',
  ],
  [
    { failure, runs: 0, requests: 1, duration_ms: 60 },
    'Played 0 sequences with 1 delivery in 100ms, random seed 7. Even a single delivery broke a rule.',
  ],
])('a report that differs in %j ends with the summary %j', (change, summary) => {
  expect(render(change).split('\n').at(-1)).toBe(summary);
});

it('a broken rule has its section only for receivers of the service, and a long payload is shortened', () => {
  expect(render({ failure })).toMatch(
    /^Broken rule: once \(§6\.6\): an event.+event 0 +1{400}\n.+event 1 +1{400}…\n/s,
  );
  expect(render({ failure: { ...failure, original_steps: 3 } })).toMatch(
    /^Found with +3 steps, reduced to 1$/m,
  );
  expect(render({ failure: { ...failure, reference: null } })).toMatch(/^Broken rule: once: an event/);
});

it('a long step is wrapped at 80 columns, and has one line in a pipe', () => {
  const step: (typeof failure.steps)[number] = {
    ...{ step: 1, sent: 'attack with event 1 (order.shipped): a correctly signed delivery that is old' },
    ...{ received: '2 × status 204, 1 × connection reset', broken: ['no-server-error', 'accepted'] },
  };
  const changed = { ...report, failure: { ...failure, steps: [step] } };
  const renderSteps = (width: number) =>
    renderFuzzReport(changed, { color: false, unicode: true, width }).split('\n\n')[1];
  expect(renderSteps(80)).toMatchInlineSnapshot(`
    "1. attack with event 1 (order.shipped): a correctly signed delivery that is old:
       2 × status 204, 1 × connection reset, breaks no-server-error, accepted"
  `);
  expect(renderSteps(Number.POSITIVE_INFINITY)?.split('\n')).toHaveLength(1);
});
