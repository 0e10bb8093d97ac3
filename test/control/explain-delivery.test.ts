import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Explanation } from '../../src/contract/explanation-schemas.ts';
import type { FaultKind } from '../../src/domain/fault.ts';
import { startTestEmulator, type TestEmulator } from '../support/test-emulator.ts';
import { createReceiver, type ReceivedRequest, type ReceiverResponses } from '../support/test-receiver.ts';

let emulator: TestEmulator;
beforeAll(async () => {
  emulator = await startTestEmulator();
});
afterAll(() => emulator.close());

interface Story {
  readonly responses: (secret: string) => ReceiverResponses;
  /** Payloads of the events, as JSON text. */
  readonly payloads?: readonly string[];
  /** Applied once. */
  readonly fault?: FaultKind;
  /** Whether the explanation sends requests to the receiver. */
  readonly probe?: boolean;
}

/** Sends events to a new endpoint. @returns the explanation of its delivery that failed last */
async function explainStory({
  responses,
  payloads = ['{"a":1}'],
  fault,
  probe,
}: Story): Promise<Explanation> {
  const { control } = emulator;
  await using receiver = await createReceiver();
  const { id, secret, workspace_id } = await control.createWebhook({
    url: receiver.url,
    events: ['order.shipped'],
  });
  receiver.respond(responses(secret));
  if (fault !== undefined) {
    await control.addFault({ on: 'delivery', kind: fault as 'drop', webhook_id: id, count: 1 });
  }
  for (const payload of payloads) {
    const event = `{"workspace_id":"${workspace_id}","type":"order.shipped","payload":${payload}}`;
    await emulator.api('POST', '/events', event);
    await control.advanceClock({ workspace_id, ms: 0 });
  }
  const explanation = await (probe ? control.probeDelivery({ id }) : control.explainDelivery({ id }));
  await control.deleteWebhook({ id });
  return explanation;
}

/** A receiver that computes the digest of a request with a mistake, and returns `reject(digest)` if it is wrong. */
function verifyWith(
  computeContent: (request: ReceivedRequest) => string,
  secret: string,
  reject: (digest: string) => string = () => 'invalid signature',
): ReceiverResponses {
  return (request) => {
    const digest = createHmac('sha256', secret).update(computeContent(request)).digest('hex');
    const isValid = request.headers['service-signature'] === `v1=${digest}`;
    return isValid ? 200 : { status: 400, body: reject(digest) };
  };
}

const getTimestamp = ({ headers }: ReceivedRequest) => String(headers['service-timestamp']);
const correctContent = (request: ReceivedRequest) => `${getTimestamp(request)}.${request.body}`;
const reserializedContent = (request: ReceivedRequest) =>
  `${getTimestamp(request)}.${JSON.stringify(request.json)}`;
const timestampInMsContent = (request: ReceivedRequest) =>
  `${Date.parse(getTimestamp(request))}.${request.body}`;

it.each<[string, (secret: string) => ReceiverResponses, string]>([
  ['another secret', () => verifyWith(correctContent, 'undefined', String), 'wrong_secret'],
  [
    'a timestamp in milliseconds',
    (secret) => verifyWith(timestampInMsContent, secret, (digest) => `expected v1=${digest}`),
    'timestamp_changed',
  ],
  [
    'a body that it serializes again',
    (secret) => verifyWith(reserializedContent, secret, (digest) => JSON.stringify({ computed: digest })),
    'body_changed',
  ],
  ['a reason of the library', () => ({ status: 400, body: '{"reason":"secret_missing"}' }), 'secret_missing'],
])('the explanation names the mistake of a receiver that reports %s', async (_, responses, reason) => {
  const explanation = await explainStory({ responses, payloads: ['{"a":1.0}'] });
  expect(explanation).toMatchObject({
    cause: 'signature_rejected',
    certainty: 'certain',
    mistake: { reason },
  });
  expect(explanation.remedy).toBe(explanation.mistake?.remedy);
});

it('a body that changes when it is serialized again is the likely mistake if only such a body was rejected', async () => {
  const explanation = await explainStory({
    responses: (secret) => verifyWith(reserializedContent, secret),
    payloads: ['{"a":1}', '{"a":1.50}'],
  });
  expect(explanation).toMatchObject({
    cause: 'signature_rejected',
    certainty: 'likely',
    mistake: { reason: 'body_changed' },
    evidence: expect.arrayContaining([expect.stringContaining('with the same secret. If it was restarted')]),
  });
  expect(explanation.evidence[0]).toMatch(/from byte \d+ on, .* became /);
});

it.each<[string, (secret: string) => ReceiverResponses, string]>([
  ['uses another secret', () => verifyWith(correctContent, 'undefined'), 'wrong_secret'],
  [
    'signs a timestamp in milliseconds',
    (secret) => verifyWith(timestampInMsContent, secret),
    'timestamp_changed',
  ],
  ['serializes the body again', (secret) => verifyWith(reserializedContent, secret), 'body_changed'],
  ['uses the API key', () => verifyWith(correctContent, emulator.status().api_key), 'api_key_as_secret'],
  [
    'reads the timestamp as seconds',
    () => (request) => (Math.abs(Number(getTimestamp(request)) * 1_000 - Date.now()) < 300_000 ? 200 : 401),
    'timestamp_unreadable',
  ],
  [
    'compares without the prefix',
    () => (request) => (String(request.headers['service-signature']).startsWith('v1=') ? 401 : 200),
    'encoding_changed',
  ],
])('a probe finds the mistake of a receiver that %s and says nothing', async (_, responses, reason) => {
  const story = { responses, payloads: ['{"a":1.0}'] };
  const { delivery, mistake, next } = await explainStory(story);
  expect(mistake).toBeNull();
  expect(next[0]?.command).toBe(`svc explain ${delivery.id} --probe`);
  const explanation = await explainStory({ ...story, probe: true });
  expect(explanation).toMatchObject({
    cause: 'signature_rejected',
    certainty: 'certain',
    mistake: { reason },
  });
  expect(explanation.remedy).toBe(explanation.mistake?.remedy);
});

it.each<[string, (secret: string) => ReceiverResponses, Partial<Explanation>, RegExp]>([
  [
    'an unknown secret',
    () => verifyWith(correctContent, 'whsec_other'),
    { cause: 'signature_rejected', certainty: 'likely', mistake: null },
    /^It rejected the correct signature, a random one, and those of [3-9]\d known mistakes\.$/,
  ],
  [
    'an error after the verification',
    (secret) => (request) => {
      const digest = createHmac('sha256', secret).update(correctContent(request)).digest('hex');
      const isValid = request.headers['service-signature'] === `v1=${digest}`;
      return { status: 400, body: isValid ? 'missing order' : 'bad signature' };
    },
    { cause: 'rejected', certainty: 'certain', mistake: null },
    /^It accepts the signature/,
  ],
])('a probe of a receiver with %s says what it showed', async (_, responses, expected, fact) => {
  const explanation = await explainStory({ responses, probe: true });
  expect(explanation).toMatchObject(expected);
  expect(explanation.evidence[0]).toMatch(fact);
  expect(explanation.next.some(({ command }) => command.endsWith('--probe'))).toBe(false);
});

it.each<[string, ReceiverResponses, Partial<Explanation>, RegExp]>([
  [
    'accepts only random signatures',
    // The attempt; then correct, random, random, correct.
    [401, 401, 200, 200, 401],
    { cause: 'signature_rejected', certainty: 'certain' },
    /^Sent twice/,
  ],
  [
    'limits the rate',
    [401, 401, 429, 429],
    { cause: 'signature_rejected', certainty: 'likely' },
    /^The probe shows nothing/,
  ],
])(
  'a probe of a receiver that %s does not say that the signature is accepted',
  async (_, responses, expected, fact) => {
    const explanation = await explainStory({ responses: () => responses, probe: true });
    expect(explanation).toMatchObject({ ...expected, mistake: null });
    expect(explanation.evidence[0]).toMatch(fact);
  },
);

it('a probe names no mistake if the receiver was corrected while it ran', async () => {
  // The third request of the probe has the signature of a mistake.
  const explanation = await explainStory({ responses: () => [401, 401, 401, 200], probe: true });
  expect(explanation).toMatchObject({ mistake: null, remedy: 'Replay the delivery.' });
});

it('a fault of the signature is not the cause of a failure before the signature was read', async () => {
  expect(await explainStory({ responses: () => 404, fault: 'bad-signature' })).toMatchObject({
    cause: 'wrong_path',
  });
});

it('a probe of a receiver that accepts the delivery now suggests to replay it', async () => {
  const { delivery, next } = await explainStory({ responses: () => [401, 200], probe: true });
  expect(next.map(({ command }) => command)).toEqual([`svc deliveries replay ${delivery.id} --wait`]);
});

it('a receiver that accepted nothing may have another secret, and the steps of a correct receiver are shown', async () => {
  const explanation = await explainStory({ responses: () => verifyWith(correctContent, 'whsec_other') });
  expect(explanation).toMatchObject({ cause: 'signature_rejected', certainty: 'likely', mistake: null });
  expect(explanation.remedy).toMatch(/^Check that the receiver uses the current endpoint secret \(whsec_…/);
  expect(explanation.evidence[0]).toBe('No other attempt to this endpoint is recorded.');
  expect(explanation.evidence).toContain('JSON.parse and JSON.stringify do not change the body.');
  expect(explanation.signature?.verification).toMatchObject({ ok: true });
  const values = explanation.signature?.steps.map(({ value }) => value) ?? [];
  expect(values.at(-1)).toBe(values.at(-2));
  expect(JSON.stringify(explanation)).not.toMatch(/whsec_[\w-]{20}/);
});

it.each<[string, Record<string, string>, string, Partial<Explanation>]>([
  ['a wrong Date header', { date: 'Thu, 01 Jan 2015 00:00:00 GMT' }, 'too old', { cause: 'receiver_clock' }],
  [
    'a correct Date header',
    {},
    'timestamp too old',
    { cause: 'signature_rejected', mistake: expect.objectContaining({ reason: 'timestamp_unreadable' }) },
  ],
])(
  'a receiver that complains about the time with %s is explained by it',
  async (_, headers, body, expected) => {
    const explanation = await explainStory({ responses: () => ({ status: 400, headers, body }) });
    expect(explanation).toMatchObject({ certainty: 'likely', ...expected });
  },
);

it.each<[string, number, string, Partial<Explanation>, RegExp]>([
  ['CSRF protection', 403, 'CSRF verification failed.', { cause: 'rejected' }, /from the CSRF protection/],
  [
    'a signature',
    500,
    'Error: invalid signature',
    { cause: 'signature_rejected' },
    /current endpoint secret/,
  ],
])(
  'a response that mentions %s with status %d is explained by it',
  async (_, status, body, expected, remedy) => {
    const explanation = await explainStory({ responses: () => ({ status, body }) });
    expect(explanation).toMatchObject({ certainty: 'likely', ...expected });
    expect(explanation.remedy).toMatch(remedy);
  },
);

it('a remedy is a whole sentence without its command', async () => {
  const { remedy } = await explainStory({ responses: () => 404 });
  expect(remedy).toBe('Check the path of the endpoint URL, and correct it.');
});

it('a receiver that fails when a delivery comes again does not recognize duplicates', async () => {
  const explanation = await explainStory({
    responses: () => [200, { status: 500, body: 'UNIQUE constraint failed' }],
    fault: 'duplicate',
  });
  expect(explanation).toMatchObject({
    cause: 'duplicate_rejected',
    certainty: 'likely',
    attempt: { number: 2, response_body: 'UNIQUE constraint failed' },
    summary: 'Delivered on attempt 1.',
  });
  expect(explanation.remedy).toContain('data.id');
});

it.each<[number, string]>([
  [302, 'redirect'],
  [400, 'rejected'],
  [401, 'signature_rejected'],
  [404, 'wrong_path'],
  [422, 'rejected'],
  [429, 'rate_limited'],
  [500, 'receiver_error'],
])('the cause of a response with status %d is %s', async (status, cause) => {
  const { delivery, ...explanation } = await explainStory({ responses: () => status });
  expect(explanation).toMatchObject({ cause, remedy: expect.any(String) });
  const commands = explanation.next.map(({ command }) => command);
  expect(commands).toContain(`svc deliveries replay ${delivery.id} --wait`);
  expect(commands.every((command) => command.startsWith('svc '))).toBe(true);
});

it.each<[FaultKind, ReceiverResponses, string]>([
  ['drop', 200, 'injected_fault'],
  ['bad-signature', 400, 'injected_fault'],
  ['bad-signature', 200, 'accepted_invalid'],
])('the cause with the fault %s and the response %s is %s', async (fault, response, cause) => {
  expect(await explainStory({ responses: () => response, fault })).toMatchObject({
    cause,
    certainty: 'certain',
    attempt: { fault: { kind: fault } },
  });
});

it('a connection that fails, a paused delivery and a delivered one are explained, by each ID that leads to them', async () => {
  const { control } = emulator;
  const receiver = await createReceiver([200, 500]);
  const webhook = await control.createWebhook({ url: receiver.url, events: ['a.b'] });
  const { workspace_id } = webhook;
  const send = async () => {
    const { json, headers } = await emulator.api('POST', '/events', {
      workspace_id,
      type: 'a.b',
      payload: {},
    });
    return { event: String(json.id), request: headers.get('request-id') ?? '' };
  };
  const delivered = await send();
  await control.advanceClock({ ms: 0 });
  expect(await control.explainDelivery({ id: delivered.request })).toMatchObject({
    cause: 'delivered',
    remedy: null,
    next: [],
  });
  await receiver.close();
  const failed = await send();
  await control.advanceClock({ ms: 0 });
  const explanation = await control.explainDelivery({ id: 'latest', workspace_id });
  expect(explanation).toMatchObject({ cause: 'connection_error', delivery: { event_id: failed.event } });
  expect(await control.explainDelivery({ id: failed.event })).toEqual(explanation);
  expect(await control.explainDelivery({ id: explanation.delivery.id, attempt: 1 })).toEqual(explanation);
  await control.updateWebhook({ id: webhook.id, disabled: true });
  const paused = await control.explainDelivery({ id: failed.event });
  expect(paused.next[0]?.command).toBe(`svc webhooks update ${webhook.id} --enable`);
  await control.rotateWebhookSecret({ id: webhook.id, overlap_ms: 0 });
  await control.deleteWebhook({ id: webhook.id });
});

it('an explanation of something without deliveries says so', async () => {
  const { control } = emulator;
  const { json } = await emulator.api('POST', '/events', {
    workspace_id: emulator.status().workspace_id,
    type: 'no.endpoint',
    payload: {},
  });
  await expect(control.explainDelivery({ id: json.id })).rejects.toMatchObject({
    code: 'not_found',
    message: `${json.id} has no deliveries.`,
  });
  const list = await emulator.api('GET', `/events?workspace_id=${emulator.status().workspace_id}`);
  await expect(control.explainDelivery({ id: list.headers.get('request-id') ?? '' })).rejects.toThrow(
    'is not a request for an event or an endpoint',
  );
  await expect(control.explainDelivery({ id: 'del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D' })).rejects.toMatchObject({
    code: 'not_found',
  });
});
