import { expect, it } from 'vitest';
import type { AttemptOutcome } from '../../src/domain/delivery.ts';
import { HOUR_MS } from '../../src/domain/duration.ts';
import { resolveRules } from '../../src/profile/resolve-rules.ts';
import { fillHeaders, findEventType, getSender, senders } from '../../src/profile/senders.ts';

const custom = getSender({ scheme: 'github', headers: { 'Acme-Topic': '{noun}' } });

it.each<readonly [typeof custom, number, AttemptOutcome | undefined, object]>([
  [custom, 1, undefined, { 'Acme-Topic': 'order' }],
  [senders.slack, 1, undefined, {}],
  [senders.slack, 2, 'timeout', { 'X-Slack-Retry-Num': '1', 'X-Slack-Retry-Reason': 'http_timeout' }],
  [senders.slack, 3, undefined, { 'X-Slack-Retry-Num': '2', 'X-Slack-Retry-Reason': 'unknown_error' }],
])('the sender $name sends attempt %i after %s with the headers %j', (sender, attempt, outcome, headers) => {
  const values = { id: 'del_1', timestamp: '1', type: 'order.shipped', attempt, lastOutcome: () => outcome };
  expect(fillHeaders(sender, values)).toEqual(headers);
});

it.each([
  [senders.slack, { event: { type: 'app_mention' } }, {}, 'app_mention'],
  [senders.slack, { event: { type: null } }, {}, null],
  [senders.slack, {}, {}, null],
  [senders.github, { type: 'a' }, { 'x-github-event': 'issues' }, 'issues'],
  [senders.github, {}, {}, null],
  [getSender({ scheme: 'github' }), {}, {}, null],
])(
  'a delivery of $name with the body %j and the headers %j has the type %j',
  (sender, json, headers, type) => {
    expect(findEventType(sender, json, headers)).toBe(type);
  },
);

it('an attempt can start after twice the delays of a sender', () => {
  const sender = getSender({ scheme: 'github', retryDelaysMs: [90 * HOUR_MS] });
  expect(resolveRules('relaxed', {}, 'sandbox', sender).retry.windowMs).toBe(180 * HOUR_MS);
});
