/** The sender of docs/senders.md, which a configuration file defines. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { selectSender } from '../../src/config/custom-senders.ts';
import { resolveConfig } from '../../src/config/resolve-config.ts';
import { verify } from '../../src/signature.ts';
import { readPage } from '../support/documents.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { startTestEmulator } from '../support/test-emulator.ts';
import { createReceiver } from '../support/test-receiver.ts';

it('the sender of docs/senders.md delivers payloads with its headers, its signature and its retries', async () => {
  const [, example = ''] = /```json\n(.*?)```/s.exec(readPage('docs/senders.md')) ?? [];
  const cwd = createTemporaryFolder();
  writeFileSync(join(cwd, 'svc.config.json'), example);
  const { values } = await resolveConfig({ options: {}, env: {}, cwd });
  const sender = selectSender(values.sender, values.senders);
  await using receiver = await createReceiver([500, 500, 500, 500]);
  await using emulator = await startTestEmulator({ sender });
  const { control, api } = emulator;
  const { id, secret = '' } = await control.createWebhook({ url: receiver.url });
  await api('POST', '/events', '{"type":"robots/awake","payload":{"at": 7.50}}');
  await control.settleClock({});

  expect(receiver.requests.map(({ headers }) => headers['acme-attempt'])).toEqual(['1', '2', '3', '4']);
  const { headers, body } = await receiver.request(4);
  expect(headers).toMatchObject({ 'acme-topic': 'robots/awake' });
  expect(body.toString()).toBe('{"at": 7.50}');
  const { 'acme-signature': signature, 'acme-time': timestamp } = headers;
  expect(
    verify({
      scheme: sender.scheme,
      secret,
      payload: body,
      signature: String(signature),
      timestamp: String(timestamp),
      now: Date.parse(String(timestamp)),
    }),
  ).toMatchObject({ ok: true, scheme: 'acme' });
  const { data } = await control.listDeliveries({ webhook_id: id });
  expect(data).toMatchObject([{ status: 'failed', settled_reason: 'no_retry_left', attempt_count: 4 }]);
  const { attempts } = await control.getDelivery({ id: data[0]?.id ?? '' });
  const times = attempts.map(({ scheduled_at: at }) => Date.parse(at));
  expect(times.slice(1).map((at, index) => at - (times[index] ?? 0))).toEqual([60_000, 600_000, 3_600_000]);
});
