import { expect, it } from 'vitest';
import { renderExploreReport } from '../../src/cli/render/explore-report.ts';
import type { ExploreReport } from '../../src/receiver/explore/explore.ts';

const failure: NonNullable<ExploreReport['failure']> = {
  rule: 'once',
  reference: '§6.6',
  summary: 'an event has its effect only once',
  message: 'Event 1 has 2 effects.',
  reason: 'The service delivers at least once.',
  remedy: 'Store data.id.',
  failed: 3,
  played: 3,
  original_steps: 1,
  shrink_runs: 0,
  shrink_ms: 0,
  steps: [{ step: 1, sent: 'deliver event 1', received: 'status 204', broken: ['once'] }],
  unusual_events: [],
  history: { version: 1, seed: 7, run: 0, events: [], steps: [] },
};
const report: ExploreReport = {
  ok: true,
  interrupted: false,
  runs: 100,
  requests: 1_203,
  duration_ms: 21_449,
  seed: 7,
  effects: 'ids',
  disturbances: [],
  failure: null,
};
const render = (change: Partial<ExploreReport>) =>
  renderExploreReport({ ...report, ...change }, { color: false, width: 80, unicode: false, links: false });

it.each<[Partial<ExploreReport>, string]>([
  [{}, 'Played 100 histories with 1203 deliveries in 21.4s, seed 7. None broke a rule.'],
  [
    { failure, interrupted: true, runs: 1, requests: 1 },
    'Interrupted after 1 history with 1 delivery in 21.4s, seed 7. One broke a rule.',
  ],
  [
    { failure, runs: 0, requests: 1, duration_ms: 60 },
    'Played 0 histories with 1 delivery in 100ms, seed 7. Even a single delivery broke a rule.',
  ],
])('a report that differs in %j ends with the summary %j', (change, summary) => {
  expect(render(change).split('\n').at(-1)).toBe(summary);
});

it.each([
  [1, 1, 'It was played only once.'],
  [5, 5, 'Fails every time (5 of 5).'],
  [2, 5, 'Fails 2 of 5 times.'],
])('a report says of %d failures in %d plays: %s', (failed, played, text) => {
  expect(render({ failure: { ...failure, failed, played } })).toContain(`Event 1 has 2 effects. ${text}\n`);
});
