/** Receivers that use the official packages of the services, as their documentation shows, and with defects. */
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { createNodeMiddleware, Webhooks } from '@octokit/webhooks';
import { shopifyApi } from '@shopify/shopify-api';
import '@shopify/shopify-api/adapters/node';
import { App, HTTPReceiver, LogLevel } from '@slack/bolt';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { Webhook as SvixWebhook } from 'svix';
import type { SenderName } from '../../src/profile/senders.ts';
import type { ReadSideEffects } from '../../src/receivers/side-effect-reader.ts';
import { findFreePort, listen } from '../support/local-server.ts';

export type OfficialSender = Exclude<SenderName, 'svc'>;

export const defects = ['verifies nothing', 'verifies a parsed body', 'processes duplicates'] as const;
export type Defect = (typeof defects)[number];

interface ReceiverOptions {
  readonly secret: string;
  readonly defect: Defect | null;
  /** Processes the event with this ID. */
  readonly process: (eventId: string) => void;
}

type Headers = Readonly<Record<string, string>>;

/** Verifies a request with the package. @returns the ID of the event. Rejects or throws for a delivery that is not genuine */
type Verify = (body: string, headers: Headers) => string | Promise<string>;

/** Validates a request as the package does. @returns its topic; rejects for a delivery that is not genuine */
function createShopifyValidator(secret: string) {
  const shopify = shopifyApi({
    apiKey: 'key',
    apiSecretKey: secret,
    hostName: 'example.com',
    apiVersion: '2026-10' as never,
    isEmbeddedApp: false,
    logger: { log: () => undefined },
  });
  return async (rawBody: string, headers: Headers): Promise<string | undefined> => {
    const rawRequest = { url: '/', method: 'POST', headers };
    const result = await shopify.webhooks.validate({ rawBody, rawRequest } as never);
    if (!result.valid) throw new Error(result.reason);
    return (result as { topic?: string }).topic;
  };
}

const createVerify: Record<Exclude<OfficialSender, 'github' | 'slack'>, (secret: string) => Verify> = {
  stripe: (secret) => (body, headers) =>
    new Stripe('sk_test').webhooks.constructEvent(body, headers['stripe-signature'] ?? '', secret).id,
  shopify: (secret) => {
    const validate = createShopifyValidator(secret);
    return async (body, headers) => {
      await validate(body, headers);
      return headers['x-shopify-webhook-id'] ?? '';
    };
  },
  'standard-webhooks': (secret) => (body, headers) => {
    new StandardWebhook(secret).verify(body, headers);
    return headers['webhook-id'] ?? '';
  },
  svix: (secret) => (body, headers) => {
    new SvixWebhook(secret).verify(body, headers);
    return headers['svix-id'] ?? '';
  },
};

/** Where the ID is, for receivers that do not verify. */
const findId: Record<keyof typeof createVerify, (body: string, headers: Headers) => string> = {
  stripe: (body) => JSON.parse(body).id,
  shopify: (_, headers) => headers['x-shopify-webhook-id'] ?? '',
  'standard-webhooks': (_, headers) => headers['webhook-id'] ?? '',
  svix: (_, headers) => headers['svix-id'] ?? '',
};

function createListener(sender: keyof typeof createVerify, options: ReceiverOptions): RequestListener {
  const { secret, defect, process } = options;
  const verify = defect === 'verifies nothing' ? findId[sender] : createVerify[sender](secret);
  return async (request, response) => {
    try {
      const body = await readBody(request, defect);
      process(await verify(body, request.headers as Headers));
      response.end();
    } catch {
      response.writeHead(400).end();
    }
  };
}

async function readBody(request: IncomingMessage, defect: Defect | null): Promise<string> {
  const body = await text(request);
  return defect === 'verifies a parsed body' ? JSON.stringify(JSON.parse(body)) : body;
}

/** The middleware of Octokit; if it verifies a parsed body, it gets one. */
function createGitHubListener({ secret, defect, process }: ReceiverOptions): RequestListener {
  if (defect === 'verifies nothing') {
    return async (request, response) => {
      await text(request);
      process(String(request.headers['x-github-delivery']));
      response.end();
    };
  }
  const webhooks = new Webhooks({ secret, log: silentLog });
  webhooks.onAny(({ id }) => process(id));
  if (defect !== 'verifies a parsed body') {
    const middleware = createNodeMiddleware(webhooks, { path: '/webhooks', log: silentLog });
    return (request, response) => void middleware(request, response);
  }
  return async (request, response) => {
    try {
      const { headers } = request;
      await webhooks.verifyAndReceive({
        id: String(headers['x-github-delivery']),
        name: String(headers['x-github-event']),
        signature: String(headers['x-hub-signature-256'] ?? ''),
        payload: await readBody(request, defect),
      });
      response.end();
    } catch {
      response.writeHead(400).end();
    }
  };
}

const ignore = () => undefined;
const silentLog = { debug: ignore, info: ignore, warn: ignore, error: ignore };

async function startSlackApp({ secret, defect, process }: ReceiverOptions) {
  const logger = {
    ...silentLog,
    setLevel: ignore,
    getLevel: () => LogLevel.ERROR,
    setName: ignore,
  };
  const receiver = new HTTPReceiver({
    signingSecret: secret,
    signatureVerification: defect !== 'verifies nothing',
    logger,
  });
  const app = new App({
    receiver,
    logger,
    authorize: async () => ({ botToken: 'xoxb-1', botId: 'B1', botUserId: 'U0BOT' }),
  });
  app.event(/./, async ({ body }) => process(body.event_id));
  if (defect === 'verifies a parsed body') {
    const { requestListener } = receiver;
    receiver.requestListener = async (request, response) => {
      const body = await readBody(request, defect).catch(() => '');
      return requestListener(Object.assign(request, { rawBody: Buffer.from(body) }), response);
    };
  }
  const port = await findFreePort();
  await app.start({ port, host: '127.0.0.1' });
  return { url: `http://127.0.0.1:${port}/slack/events`, stop: () => app.stop() };
}

export interface OfficialReceiver extends AsyncDisposable {
  readonly url: string;
  readonly readSideEffects: ReadSideEffects;
}

/** Starts a receiver that lists the IDs of the events that it has processed. */
export async function startOfficialReceiver(
  sender: OfficialSender,
  secret: string,
  defect: Defect | null = null,
): Promise<OfficialReceiver> {
  const ids: string[] = [];
  const seen = new Set<string>();
  const process = (id: string) => {
    if (seen.has(id) && defect !== 'processes duplicates') return;
    seen.add(id);
    ids.push(id);
  };
  const options = { secret, defect, process };
  const { url, stop } =
    sender === 'slack'
      ? await startSlackApp(options)
      : await startServer(
          sender === 'github' ? createGitHubListener(options) : createListener(sender, options),
        );
  return {
    url,
    readSideEffects: async () => ({ count: ids.length, ids: [...ids] }),
    [Symbol.asyncDispose]: async () => void (await stop()),
  };
}

async function startServer(listener: RequestListener) {
  const server = createServer(listener);
  const port = await listen(server);
  return { url: `http://127.0.0.1:${port}/webhooks`, stop: () => server.close() };
}
