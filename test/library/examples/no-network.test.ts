import { createEmulator } from 'svc-emulator';
import { expect, test } from 'vitest';

test('the API responds without a port', async () => {
  await using emulator = await createEmulator({ listen: false });
  const refused = await emulator.fetch('/v1/events', { method: 'POST', body: '{"type":"Order"}' });
  expect(refused.status).toBe(422);
  const list = await emulator.fetch('/v1/events');
  expect(await list.json()).toEqual({ data: [], has_more: false, end_cursor: null });
});
