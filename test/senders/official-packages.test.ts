/** Deliveries of the built-in senders, received over HTTP by the official packages of the services. */
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhooks } from '@octokit/webhooks';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listFixtures } from '../../src/fixtures/event-fixtures.ts';
import { fixtureFolders } from '../../src/fixtures/fixture-folders.ts';
import { listAll } from '../../src/operations/control-plane.ts';
import { type SenderName, senderNames, senders } from '../../src/profile/senders.ts';
import { listen } from '../support/local-server.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { startTestEmulator, type TestEmulator } from '../support/test-emulator.ts';
import { type OfficialSender, startOfficialReceiver } from './official-receivers.ts';

interface Example {
  readonly name: string;
  readonly examples: readonly object[];
}

interface Received {
  readonly name: string;
  readonly body: string;
}

async function startSender(sender: SenderName) {
  const emulator = await startTestEmulator({ sender, projectFolder: createTemporaryFolder() });
  onTestFinished(emulator.close);
  return emulator;
}

/** A sender with an endpoint at a receiver that uses its package. */
async function startWithPackage(sender: OfficialSender) {
  const emulator = await startSender(sender);
  const { control } = emulator;
  const { id, secret } = await control.createWebhook({ url: 'http://127.0.0.1:9/', events: ['*'] });
  const receiver = await startOfficialReceiver(sender, secret);
  onTestFinished(async () => receiver[Symbol.asyncDispose]());
  await control.updateWebhook({ id, url: receiver.url });
  return { emulator, control, countProcessed: async () => (await receiver.readSideEffects())?.count };
}

/** Creates an event with the payload of its fixture, and sends what is due. @returns the ID of its delivery */
async function trigger({ api, control }: TestEmulator, type: string) {
  const { payload_text: example } = await control.getFixture({ type });
  const { json } = await api('POST', '/events', `{"type":"${type}","payload":${example}}`);
  const wait = { event_id: json.id, retries: false, timeout_ms: 10_000 };
  return (await control.waitForDeliveries(wait)).data[0]?.id ?? '';
}

describe('the official packages', () => {
  it.each(senderNames.filter((name) => name !== 'svc'))(
    'the package of %s accepts its event, also in a retry, and refuses a changed one',
    async (sender) => {
      const { emulator, control, countProcessed } = await startWithPackage(sender);
      const { example } = senders[sender];
      await trigger(emulator, example);
      expect(await countProcessed()).toBe(1);

      await control.addFault({ on: 'delivery', kind: 'error-response', count: 1 });
      const id = await trigger(emulator, example);
      expect(await countProcessed()).toBe(1);
      await control.replayDelivery({ id });
      await control.settleClock({});
      expect(await countProcessed()).toBe(2);
      const { attempts } = await control.getDelivery({ id });
      expect(attempts.map(({ response_status: status }) => status)).toEqual([503, 200]);
      const names = ['X-Slack-Retry-Num', 'X-Slack-Retry-Reason'];
      const retryHeaders = attempts.map(({ request }) => names.map((name) => request.headers[name]));
      expect(retryHeaders).toEqual([
        [undefined, undefined],
        sender === 'slack' ? ['1', 'http_error'] : [undefined, undefined],
      ]);

      await control.addFault({ on: 'delivery', kind: 'tamper-body', count: 1 });
      const changed = await control.getDelivery({ id: await trigger(emulator, example) });
      expect(changed.attempts[0]?.outcome).toBe('http_error');
      expect(await countProcessed()).toBe(2);
    },
  );

  it('the app of Slack responds to url_verification with the challenge', async () => {
    const { emulator, control } = await startWithPackage('slack');
    const { attempts } = await control.getDelivery({ id: await trigger(emulator, 'url_verification') });
    expect(attempts[0]?.response?.body).toContain(JSON.parse(attempts[0]?.request.body ?? '').challenge);
  });
});

describe('the examples of GitHub', () => {
  it('each example of a webhook of GitHub arrives and is replayed with the same bytes', async () => {
    const { default: webhooks } = await import('@octokit/webhooks-examples');
    const sent = (webhooks as unknown as readonly Example[]).flatMap(({ name, examples }) =>
      examples.map((payload) => ({ name, body: JSON.stringify(payload) })),
    );
    expect(sent.length).toBeGreaterThan(300);
    const { api, control } = await startSender('github');
    const received: Received[] = [];
    const secret = { current: '' };
    const server = createServer(async (request, response) => {
      const body = await text(request);
      const header = (name: string) => String(request.headers[`x-${name}`]);
      const signature = header('hub-signature-256');
      const isGenuine = await new Webhooks({ secret: secret.current }).verify(body, signature);
      if (isGenuine) received.push({ name: header('github-event'), body });
      response.writeHead(isGenuine ? 200 : 400).end();
    });
    const url = `http://127.0.0.1:${await listen(server)}/webhooks`;
    onTestFinished(() => void server.close());
    secret.current = (await control.createWebhook({ url, events: ['*'] })).secret;
    const sort = (all: readonly Received[]) => all.map(({ name, body }) => `${name} ${body}`).sort();

    for (const { name, body } of sent) await api('POST', '/events', `{"type":"${name}","payload":${body}}`);
    await control.settleClock({});
    expect(sort(received)).toEqual(sort(sent));

    received.length = 0;
    for (const { id } of await listAll((page) => control.listDeliveries(page)))
      await control.replayDelivery({ id });
    await control.settleClock({});
    expect(sort(received)).toEqual(sort(sent));
  });
});

describe('the table of senders', () => {
  it.each(senderNames)(
    'the fixtures of %s have event types of the sender, and one is its example',
    (name) => {
      const { types, example } = senders[name];
      const found = listFixtures(fixtureFolders(createTemporaryFolder(), name)).map(({ type }) => type);
      expect(found.filter((type) => !types.test(type))).toEqual([]);
      expect(found).toContain(example);
    },
  );
});
