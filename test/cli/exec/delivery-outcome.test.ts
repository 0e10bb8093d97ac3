import { describe, expect, it } from 'vitest';
import {
  collectDeliveryOutcome,
  explainNoDeliveries,
  reportUndelivered,
} from '../../../src/cli/exec/delivery-outcome.ts';
import { startTestEmulator } from '../../support/test-emulator.ts';
import { createReceiver } from '../../support/test-receiver.ts';
import { aDetail, NOW, pageOf } from '../fake-context.ts';

describe('collectDeliveryOutcome', () => {
  it('the outcome waits for responses, but not for later retries, and lists the deliveries oldest first', async () => {
    await using emulator = await startTestEmulator();
    await using receiver = await createReceiver([200, { status: 503, delayMs: 50 }, 503]);
    await emulator.control.createWebhook({ url: receiver.url });
    const { signal } = new AbortController();
    const collect = () => collectDeliveryOutcome(emulator.control, { signal, now: Date.now });
    expect(await collect()).toMatchObject({ undelivered: [], total: 0 });
    const event = { type: 'order.shipped', payload: {}, workspace_id: emulator.status().workspace_id };
    for (let count = 0; count < 3; count++) await emulator.api('POST', '/events', event);
    const { undelivered, total } = await collect();
    expect(total).toBe(3);
    expect(undelivered).toMatchObject(
      [2, 3].map(() => ({ status: 'pending', attempts: [{ response_status: 503 }] })),
    );
    const ids = undelivered.map(({ id }) => id);
    expect(ids).toEqual([...ids].sort());
  });
});

describe('reportUndelivered', () => {
  function report(count: number): string[] {
    const lines: string[] = [];
    const undelivered = Array.from({ length: count }, (_, i) => aDetail({ id: `del_${i + 1}` }));
    const outcome = { undelivered, total: count + 1, scheduleTimeOf: () => NOW };
    reportUndelivered(outcome, { note: (line) => lines.push(line) });
    return lines;
  }

  it('the report begins with the numbers', () => {
    expect(report(2)[0]).toBe(
      '2 of 3 deliveries did not succeed, but --require-settled requires every delivery to succeed:',
    );
  });

  it('the report lists the first 20 deliveries with their URL and state', () => {
    const lines = report(20);
    expect(lines).toHaveLength(21);
    expect(lines[1]).toBe(
      '  order.shipped to http://localhost:3000/webhooks: del_1 pending after 0 attempts, next attempt in 5m',
    );
    const more = report(21);
    expect([more.length, more.at(-1)]).toEqual([22, '  … and 1 more.']);
  });
});

describe('explainNoDeliveries', () => {
  it.each([
    [[], 'No event was created in this emulator.', /^Tests that use the Vitest fixtures/],
    [
      [{ id: 'evt_1' }],
      'No event had a delivery, because no enabled endpoint subscribed to its type.',
      /^Register an endpoint in your tests/,
    ],
  ])('a run without deliveries is explained by its events (%#)', async (events, message, hint) => {
    const explanation = await explainNoDeliveries({ listEvents: async () => pageOf(...events) as never });
    expect(explanation).toEqual({ message, hint: { text: expect.stringMatching(hint) } });
    expect(explanation.hint.text).toContain('pass --allow-no-deliveries.');
  });
});
