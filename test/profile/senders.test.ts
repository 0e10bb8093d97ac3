import { expect, it } from 'vitest';
import type { AttemptOutcome } from '../../src/domain/delivery.ts';
import {
  fillHeaders,
  findEventType,
  getSender,
  senders,
  type WebhookSender,
} from '../../src/profile/senders.ts';

const custom = getSender({ scheme: 'github', headers: { 'Acme-Topic': '{noun}' } });

it.each<readonly [WebhookSender, number, AttemptOutcome | undefined, object]>([
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
  [senders.github, { type: 'a' }, { 'x-github-event': 'issues' }, 'issues'],
  [senders.github, {}, {}, null],
  [getSender({ scheme: 'github' }), {}, {}, null],
])(
  'a delivery of $name with the body %j and the headers %j has the type %j',
  (sender, json, headers, type) => {
    expect(findEventType(sender, json, headers)).toBe(type);
  },
);
