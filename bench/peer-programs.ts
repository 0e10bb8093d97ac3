/** Other programs that send a webhook for a request, with their configuration. */
import { PAYLOAD } from './event-load.ts';
import { type Target, toRequest } from './load.ts';

export interface Peer {
  readonly name: string;
  /** Package and version range for npm. */
  readonly package: string;
  readonly range: string;
  /** Configuration files by name, written to the installation folder. */
  files(receiver: string): Readonly<Record<string, string>>;
  /** Arguments for node, run in that folder. */
  command(port: number, receiver: string): readonly string[];
  /** Requests that send one webhook each. */
  target(url: string): Target;
}

const JSON_BODY = { 'Content-Type': 'application/json' };
const ENVELOPE = { type: 'order.shipped', data: { id: 'evt_1', payload: PAYLOAD } };

/** Responds first and then runs the callbacks of the operation. */
const prism: Peer = {
  name: 'Prism',
  package: '@stoplight/prism-cli',
  range: '5',
  files: (receiver) => ({ 'openapi.json': JSON.stringify(toDocument(receiver)) }),
  command: (port) => [
    ...['node_modules/@stoplight/prism-cli/dist/index.js', 'mock', 'openapi.json'],
    ...['--host', '127.0.0.1', '--port', `${port}`, '--verboseLevel', 'silent'],
  ],
  target: toEventsTarget,
};

/** Responds first and then runs the callbacks of the response. */
const mockoon: Peer = {
  name: 'Mockoon',
  package: '@mockoon/cli',
  range: '9',
  files: (receiver) => ({ 'environment.json': JSON.stringify(toEnvironment(receiver)) }),
  command: (port) => [
    ...['node_modules/@mockoon/cli/bin/run.js', 'start', '--data', 'environment.json', '--repair'],
    ...['--disable-log-to-file', '--hostname', '127.0.0.1', '--port', `${port}`],
  ],
  target: toEventsTarget,
};

/** Vercel's emulation of Stripe: signs the webhook, and responds after its delivery. */
const emulate: Peer = {
  name: 'emulate',
  package: 'emulate',
  range: '0.12',
  files: () => ({ 'start.mjs': START_EMULATE }),
  command: (port, receiver) => ['start.mjs', `${port}`, receiver],
  target: (url) => {
    // Limited to 5,000 requests per hour and key.
    const keys = Array.from({ length: 64 }, (_, each) => `sk_test_${each}`);
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const requests = keys.map((key) =>
      toRequest(
        `${url}/v1/customers`,
        { Authorization: `Bearer ${key}`, ...headers },
        'name=Bench&email=a@b.c',
      ),
    );
    return { url, requests };
  },
};

export const peers: readonly Peer[] = [prism, mockoon, emulate];

function toEventsTarget(url: string): Target {
  return { url, requests: [toRequest(`${url}/events`, JSON_BODY, JSON.stringify(ENVELOPE))] };
}

function toDocument(receiver: string) {
  const toContent = (example: unknown) => ({ content: { 'application/json': { example } } });
  const deliver = { requestBody: toContent(ENVELOPE), responses: { 204: { description: 'Accepted' } } };
  const createEvent = {
    requestBody: { content: { 'application/json': { schema: { type: 'object' } } } },
    responses: { 201: { description: 'Created', ...toContent({ id: 'evt_1' }) } },
    callbacks: { delivered: { [receiver]: { post: deliver } } },
  };
  return {
    openapi: '3.0.3',
    info: { title: 'Bench', version: '1' },
    paths: { '/events': { post: createEvent } },
  };
}

/** Mockoon fills in missing values. Ids must be UUIDs. */
function toEnvironment(receiver: string) {
  const [route, callback] = ['a7e1a3bc-2a40-4f6e-8f0b-1f0f0c7d9a01', 'a7e1a3bc-2a40-4f6e-8f0b-1f0f0c7d9a02'];
  const headers = [{ key: 'Content-Type', value: 'application/json' }];
  const answer = {
    statusCode: 201,
    headers,
    bodyType: 'INLINE',
    body: '{"id":"evt_1"}',
    default: true,
    callbacks: [{ uuid: callback, latency: 0 }],
  };
  const delivery = {
    method: 'post',
    uri: receiver,
    headers,
    bodyType: 'INLINE',
    body: JSON.stringify(ENVELOPE),
  };
  return {
    name: 'Bench',
    routes: [{ uuid: route, type: 'http', method: 'post', endpoint: 'events', responses: [answer] }],
    rootChildren: [{ type: 'route', uuid: route }],
    callbacks: [{ uuid: callback, id: 'delivered', name: 'Delivered', ...delivery }],
  };
}

const START_EMULATE = `import { createEmulator } from 'emulate';
const [port, url] = process.argv.slice(2);
const webhooks = [{ url, events: ['*'], secret: 'whsec_bench' }];
await createEmulator({ service: 'stripe', port: Number(port), seed: { stripe: { webhooks } } });
`;
