import { expect, it } from 'vitest';
import { describePhases } from '../../src/resources/attempt.ts';

const none = {
  ...{ queued_ms: 0.3, dns_ms: null, connect_ms: null, tls_ms: null, send_ms: null, wait_ms: null },
  ...{ receive_ms: null, reused_connection: false },
};

it('describePhases lists the phases that took place, and a connection that was reused', () => {
  const sent = { ...none, send_ms: 0.1, wait_ms: 11 };
  expect(describePhases(sent)).toBe('queued 0.3ms, send 0.1ms, wait 11ms');
  expect(describePhases({ ...sent, reused_connection: true })).toBe(
    'queued 0.3ms, reused connection, send 0.1ms, wait 11ms',
  );
  expect(describePhases({ ...sent, connect_ms: 2 })).toBe(
    'queued 0.3ms, connect 2.0ms, send 0.1ms, wait 11ms',
  );
});
