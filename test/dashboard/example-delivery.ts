/** Example deliveries and attempts. */

import { HOUR_MS, MINUTE_MS } from '../../src/domain/duration.ts';
import type { Attempt } from '../../src/resources/attempt.ts';
import type { DeliveryDetail } from '../../src/resources/delivery.ts';

/** Schedule time of the first attempt. */
export const START = Date.parse('2026-11-20T12:00:00.000Z');

const timeAfter = (ms: number) => new Date(START + ms).toISOString();

export function createAttempt(changes: Partial<Attempt> = {}): Attempt {
  const number = changes.number ?? 1;
  return {
    id: `del_1.${number}`,
    number,
    trigger: 'schedule',
    scheduled_at: timeAfter(0),
    sent_at: timeAfter(0),
    duration_ms: 12,
    outcome: 'http_error',
    response_status: 503,
    error: 'the receiver returned 503 Service Unavailable',
    phases: null,
    request: {
      url: 'http://localhost:3000/hooks?a=b',
      headers: { 'Content-Type': 'application/json', 'Service-Delivery-Id': 'del_1' },
      body: '{"type":"order.shipped","workspace_id":"ws_1","created_at":"2026-11-20T12:00:00.000Z","data":{"id":"evt_1","payload":{"order":"ord_1"}}}',
      signed_content: '',
    },
    response: { headers: {}, body: '', encoding: 'utf8', truncated: false },
    ...changes,
  };
}

/** Two failed attempts, 5 minutes apart, and two planned ones, 30 minutes and two more hours later. */
export function createDelivery(changes: Partial<DeliveryDetail> = {}): DeliveryDetail {
  return {
    id: 'del_1',
    event_id: 'evt_1',
    event_type: 'order.shipped',
    workspace_id: 'ws_1',
    webhook_id: 'we_1',
    url: 'http://localhost:3000/hooks?a=b',
    status: 'pending',
    settled_reason: null,
    paused: false,
    attempt_count: 2,
    last_attempt: { number: 2, duration_ms: 12, outcome: 'http_error', response_status: 503, error: null },
    next_attempt_at: timeAfter(35 * MINUTE_MS),
    created_at: timeAfter(0),
    settled_at: null,
    replay_of: null,
    attempts: [createAttempt(), createAttempt({ number: 2, scheduled_at: timeAfter(5 * MINUTE_MS) })],
    due_times: [timeAfter(35 * MINUTE_MS), timeAfter(35 * MINUTE_MS + 2 * HOUR_MS)],
    ...changes,
  };
}
