/** Retries of the built-in senders, at the times that their services publish. */
import { expect, it } from 'vitest';
import { type SenderName, senders } from '../../src/profile/senders.ts';
import { startTestEmulator } from '../support/test-emulator.ts';
import { createReceiver } from '../support/test-receiver.ts';

/** The time of each attempt in milliseconds after the first. */
async function fail(sender: SenderName): Promise<readonly number[]> {
  await using receiver = await createReceiver(Array.from({ length: 12 }, () => 500));
  await using emulator = await startTestEmulator({ sender: senders[sender] });
  const { control, api } = emulator;
  const { id } = await control.createWebhook({ url: receiver.url });
  await api('POST', '/events', { type: senders[sender].example, payload: {} });
  await control.settleClock({});
  const { data } = await control.listDeliveries({ webhook_id: id });
  const { attempts } = await control.getDelivery({ id: data[0]?.id ?? '' });
  const times = attempts.map(({ scheduled_at: at }) => Date.parse(at));
  return times.map((at) => at - (times[0] ?? 0));
}

/** `27:35:05` in milliseconds. */
function parseTime(text: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = text.split(':').map(Number);
  return ((hours * 60 + minutes) * 60 + seconds) * 1_000;
}

it('the attempts of svix are at the times of its published schedule', async () => {
  // https://docs.svix.com/retries: the fourth is 35 minutes and 5 seconds after the first.
  const published = [
    '0:00:00',
    '0:00:05',
    '0:05:05',
    '0:35:05',
    '2:35:05',
    '7:35:05',
    '17:35:05',
    '27:35:05',
  ];
  expect(await fail('svix')).toEqual(published.map(parseTime));
});

it('slack retries almost at once, after one minute and after five minutes', async () => {
  // https://docs.slack.dev/apis/events-api
  const [, ...retries] = await fail('slack');
  expect(retries).toHaveLength(3);
  expect(retries[0]).toBeLessThanOrEqual(1_000);
  const waits = retries.map((at, index) => at - (retries[index - 1] ?? 0));
  expect(waits.slice(1)).toEqual([parseTime('0:01:00'), parseTime('0:05:00')]);
});

it('shopify retries eight times over four hours, with waits that grow', async () => {
  // https://shopify.dev/changelog/updates-to-webhook-retry-mechanism
  const [, ...retries] = await fail('shopify');
  expect(retries).toHaveLength(8);
  expect(retries.at(-1)).toBe(parseTime('4:00:00'));
  const waits = retries.map((at, index) => at - (retries[index - 1] ?? 0));
  expect(waits).toEqual(waits.toSorted((a, b) => a - b));
});

it('github does not retry', async () => {
  // https://docs.github.com/en/webhooks/using-webhooks/handling-failed-webhook-deliveries
  expect(await fail('github')).toEqual([0]);
});
