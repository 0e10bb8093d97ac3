/** Deliveries of the built-in senders, received over HTTP by the official packages of the services. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { Webhooks } from '@octokit/webhooks';
import { App, HTTPReceiver, LogLevel } from '@slack/bolt';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { Webhook as SvixWebhook } from 'svix';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listFixtures } from '../../src/fixtures/event-fixtures.ts';
import { fixtureFolders } from '../../src/fixtures/fixture-folders.ts';
import { listAll } from '../../src/operations/control-plane.ts';
import { type SenderName, senderNames, senders } from '../../src/profile/senders.ts';
import { findFreePort, listen } from '../support/local-server.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { startTestEmulator, type TestEmulator } from '../support/test-emulator.ts';
import { createShopifyValidator } from './official-receivers.ts';

/** Bolt logs errors that the test causes. */
const logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  setLevel: () => undefined,
  getLevel: () => LogLevel.ERROR,
  setName: () => undefined,
};

interface Example {
  readonly name: string;
  readonly examples: readonly object[];
}

interface Received {
  readonly name: string;
  readonly body: string;
}

/** What a receiver has handled, as the package passed it on. */
type Handled = unknown[];
/** Verifies a request and handles it. Rejects or throws for one that is not genuine. */
type Handle = (body: string, headers: Record<string, string>) => unknown;

/** Each makes a receiver with an endpoint secret. */
const receivers: Record<
  Exclude<SenderName, 'svc' | 'slack'>,
  (secret: string, handled: Handled) => Handle
> = {
  stripe: (secret, handled) => (body, headers) => {
    const event = new Stripe('sk_test').webhooks.constructEvent(
      body,
      headers['stripe-signature'] ?? '',
      secret,
    );
    if (event.type === 'payment_intent.succeeded') handled.push([event.data.object.amount, event.id]);
  },
  github: (secret, handled) => {
    const webhooks = new Webhooks({ secret });
    webhooks.on('push', ({ payload }) => void handled.push(payload.ref));
    webhooks.on('issues.opened', ({ payload }) => void handled.push(payload.issue.title));
    return (payload, headers) =>
      webhooks.verifyAndReceive({
        id: headers['x-github-delivery'] ?? '',
        name: headers['x-github-event'] ?? '',
        signature: headers['x-hub-signature-256'] ?? '',
        payload,
      });
  },
  shopify: (secret, handled) => {
    const validate = createShopifyValidator(secret);
    return async (body, headers) => void handled.push([await validate(body, headers), JSON.parse(body).name]);
  },
  'standard-webhooks': (secret, handled) => (body, headers) =>
    void handled.push((new StandardWebhook(secret).verify(body, headers) as { type: string }).type),
  svix: (secret, handled) => (body, headers) => {
    new SvixWebhook(secret).verify(body, headers);
    handled.push(JSON.parse(body).type);
  },
};

/** What a receiver has handled after the event with this type. */
const expected: Record<keyof typeof receivers, readonly (readonly [type: string, handled: unknown])[]> = {
  stripe: [['payment_intent.succeeded', [2599, expect.stringMatching(/^evt_/)]]],
  github: [
    ['push', 'refs/heads/main'],
    ['issues.opened', 'The kettle is too loud'],
  ],
  shopify: [['orders/create', ['ORDERS_CREATE', '#1042']]],
  'standard-webhooks': [['user.created', 'user.created']],
  svix: [['invoice.paid', 'invoice.paid']],
};

const rows = Object.entries(expected).flatMap(([sender, events]) =>
  events.map(([type, handled]) => [sender as keyof typeof receivers, type, handled] as const),
);

/** Responds with 503 while it is down, and with 400 if `handle` refuses a request. */
async function startReceiver(handle: Handle) {
  const state = { isDown: false, requests: [] as IncomingHttpHeaders[] };
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    state.requests.push(request.headers);
    const body = await readText(request);
    if (state.isDown) return response.writeHead(503).end();
    try {
      await handle(body, request.headers as Record<string, string>);
      return response.end();
    } catch {
      return response.writeHead(400).end();
    }
  });
  const port = await listen(server);
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${port}/webhooks`, state };
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return text;
}

async function startSender(sender: SenderName) {
  const emulator = await startTestEmulator({ sender, projectFolder: createTemporaryFolder() });
  onTestFinished(emulator.close);
  return emulator;
}

/** Creates an event with the payload of its fixture, and sends what is due. */
async function trigger({ api, control }: TestEmulator, type: string, payload?: string) {
  const { payload_text: example } =
    payload === undefined ? await control.getFixture({ type }) : { payload_text: payload };
  const created = await api('POST', '/events', `{"type":"${type}","payload":${example}}`);
  expect(created.status).toBe(201);
  const { data } = await control.waitForDeliveries({
    event_id: created.json.id,
    retries: false,
    timeout_ms: 10_000,
  });
  return data[0]?.id ?? '';
}

describe('the official packages', () => {
  it.each(rows)(
    'the package of %s handles %s, also its retry, and refuses a changed one',
    async (sender, type, expectedEvent) => {
      const emulator = await startSender(sender);
      const handled: Handled = [];
      const secret = { current: '' };
      const receiver = await startReceiver((body, headers) =>
        receivers[sender](secret.current, handled)(body, headers),
      );
      const webhook = await emulator.control.createWebhook({ url: receiver.url, events: ['*'] });
      secret.current = webhook.secret ?? '';

      await trigger(emulator, type);
      expect(handled).toEqual([expectedEvent]);

      receiver.state.isDown = true;
      const id = await trigger(emulator, type);
      receiver.state.isDown = false;
      await emulator.control.replayDelivery({ id });
      await emulator.control.settleClock({});
      expect(handled).toEqual([expectedEvent, expectedEvent]);

      await emulator.control.addFault({ on: 'delivery', kind: 'tamper-body', count: 1 });
      await trigger(emulator, type);
      expect(handled).toHaveLength(2);
    },
  );

  it('the app of Slack handles app_mention, counts retries, responds to url_verification and refuses a changed one', async () => {
    const emulator = await startSender('slack');
    const port = await findFreePort();
    const webhook = await emulator.control.createWebhook({
      url: `http://127.0.0.1:${port}/slack/events`,
      events: ['*'],
    });
    const handled: Handled = [];
    const receiver = new HTTPReceiver({
      signingSecret: webhook.secret ?? '',
      processBeforeResponse: true,
      logger,
    });
    const app = new App({
      receiver,
      logger,
      authorize: async () => ({ botToken: 'xoxb-1', botId: 'B1', botUserId: 'U0BOT' }),
    });
    let failures = 1;
    app.event('app_mention', async ({ event, context }) => {
      if (failures-- > 0) throw new Error('busy');
      handled.push([event.text, context.retryNum]);
    });
    await app.start({ port, host: '127.0.0.1' });
    onTestFinished(() => void app.stop());

    const id = await trigger(emulator, 'app_mention');
    await emulator.control.advanceClock({ ms: 1_000 });
    expect(handled).toEqual([['<@U0BOT> what is brewing?', 1]]);
    const { attempts } = await emulator.control.getDelivery({ id });
    expect(attempts.map(({ response_status: status }) => status)).toEqual([500, 200]);
    const retryHeaders = attempts.map(({ request }) => [
      request.headers['X-Slack-Retry-Num'],
      request.headers['X-Slack-Retry-Reason'],
    ]);
    expect(retryHeaders).toEqual([
      [undefined, undefined],
      ['1', 'http_error'],
    ]);

    const challenge = await trigger(emulator, 'url_verification');
    const [answer] = (await emulator.control.getDelivery({ id: challenge })).attempts;
    expect(answer?.response?.body).toContain(JSON.parse(answer?.request.body ?? '').challenge);

    await emulator.control.addFault({ on: 'delivery', kind: 'tamper-body', count: 1 });
    const changed = await trigger(emulator, 'app_mention');
    expect((await emulator.control.getDelivery({ id: changed })).attempts[0]?.response_status).toBe(401);
    expect(handled).toHaveLength(1);
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
    const receiver = await startReceiver(async (body, headers) => {
      await receivers.github(secret.current, [])(body, headers);
      received.push({ name: headers['x-github-event'] ?? '', body });
    });
    const webhook = await control.createWebhook({ url: receiver.url, events: ['*'] });
    secret.current = webhook.secret ?? '';
    const sort = (all: readonly Received[]) => all.map(({ name, body }) => `${name} ${body}`).sort();

    for (const { name, body } of sent) await api('POST', '/events', `{"type":"${name}","payload":${body}}`);
    await control.settleClock({});
    expect(sort(received)).toEqual(sort(sent));

    received.length = 0;
    for (const { id } of await listAll((page) => control.listDeliveries(page)))
      await control.replayDelivery({ id });
    await control.settleClock({});
    expect(sort(received)).toEqual(sort(sent));
  }, 60_000);
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
