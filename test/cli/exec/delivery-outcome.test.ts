import { describe, expect, it } from 'vitest';
import {
  collectDeliveryOutcome,
  describeEmptyRun,
  reportUndelivered,
} from '../../../src/cli/exec/delivery-outcome.ts';
import { startTestEmulator } from '../../support/test-emulator.ts';
import { createReceiver } from '../../support/test-receiver.ts';
import { aDelivery, pageOf } from '../fake-context.ts';

it('the outcome waits for responses, but not for later retries, and lists the deliveries oldest first', async () => {
  await using emulator = await startTestEmulator();
  await using receiver = await createReceiver([200, { status: 503, delayMs: 50 }, 503]);
  await emulator.control.createWebhook({ url: receiver.url });
  const { signal } = new AbortController();
  const collect = () => collectDeliveryOutcome(emulator.control, { signal, now: Date.now });
  expect(await collect()).toMatchObject({ undelivered: [], total: 0 });
  const event = { type: 'order.shipped', payload: {}, workspace_id: emulator.status().workspace_id };
  for (let count = 0; count < 3; count++) await emulator.api('POST', '/events', event);
  const { undelivered, lines, total } = await collect();
  expect(total).toBe(3);
  expect(undelivered).toMatchObject([2, 3].map(() => ({ status: 'pending', attempt_count: 1 })));
  const line = `order.shipped to ${receiver.url}: `;
  expect(lines).toEqual(undelivered.map(({ id }) => expect.stringContaining(`${line}${id} `)));
  expect(lines[0]).toContain('503');
  const ids = undelivered.map(({ id }) => id);
  expect(ids).toEqual([...ids].sort());
});

describe('reportUndelivered', () => {
  function report(count: number, lines: readonly string[]): string[] {
    const notes: string[] = [];
    const undelivered = Array.from({ length: count }, (_, i) => aDelivery({ id: `del_${i + 1}` }));
    reportUndelivered({ undelivered, lines, total: count + 1 }, { note: (line) => notes.push(line) });
    return notes;
  }

  it('the report begins with the numbers, and lists the deliveries', () => {
    expect(report(2, ['a', 'b'])).toEqual([
      '2 of 3 deliveries did not succeed, but --require-settled requires every delivery to succeed:',
      '  a',
      '  b',
    ]);
  });

  it('the report ends with the number of the other deliveries', () => {
    expect(report(3, ['a', 'b']).at(-1)).toBe('  … and 1 more.');
  });
});

it.each([
  [[], 'No event was created in this emulator.', /^Tests that use the Vitest fixtures/],
  [
    [{ id: 'evt_1' }],
    'No event had a delivery, because no enabled endpoint subscribed to its type.',
    /^Register an endpoint in your tests/,
  ],
])('a run without deliveries is explained by its events (%#)', async (events, message, hint) => {
  const explanation = await describeEmptyRun({ listEvents: async () => pageOf(...events) as never });
  expect(explanation).toEqual({ message, hint: { text: expect.stringMatching(hint) } });
  expect(explanation.hint.text).toContain('pass --allow-no-deliveries.');
});
