import { test } from 'svc-emulator/vitest';
import { expect, vi } from 'vitest';

test('the code under test sees the time that deliveries are signed at', async ({ workspace, receiver }) => {
  vi.useFakeTimers({ now: new Date('2030-01-01T00:00:00Z') });
  try {
    await workspace.trigger('order.shipped');
    const { headers, verification } = await receiver.request(1);
    expect(headers['service-timestamp']).toBe('2030-01-01T00:00:00Z');
    expect(verification).toMatchObject({ ok: true });
  } finally {
    vi.useRealTimers();
  }
});
