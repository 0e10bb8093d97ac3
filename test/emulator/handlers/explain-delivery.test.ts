import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { FaultKind } from '../../../src/domain/fault.ts';
import type { Explanation } from '../../../src/operations/explanation-schemas.ts';
import { startTestEmulator, type TestEmulator } from '../../support/test-emulator.ts';
import { createReceiver, type ReceivedRequest, type ReceiverResponses } from '../../support/test-receiver.ts';
import { createGate } from '../deliveries/sender-setup.ts';

let emulator: TestEmulator;
beforeAll(async () => {
  emulator = await startTestEmulator();
});
afterAll(() => emulator.close());

interface Story {
  readonly responses: (secret: string) => ReceiverResponses;
  readonly fault?: FaultKind;
  /** How often the fault is applied (default: 1). */
  readonly faultCount?: number;
  /** Whether the explanation sends requests to the receiver. */
  readonly probe?: boolean;
  /** Runs before the explanation, with the ID of the endpoint. */
  readonly beforehand?: (id: string) => Promise<unknown>;
  /** Number of the attempt to explain (default: the last). */
  readonly attempt?: number;
}

/** The explanation of a delivery, with the text of its first hint and the commands of all. */
interface ExplainedStory extends Explanation {
  readonly remedy: string | undefined;
  readonly commands: readonly string[];
}

/** Sends an event to a new endpoint. @returns the explanation of its delivery */
async function explainStory({
  responses,
  fault,
  faultCount = 1,
  probe,
  beforehand,
  attempt,
}: Story): Promise<ExplainedStory> {
  const { control } = emulator;
  await using receiver = await createReceiver();
  const { id, secret, workspace_id } = await control.createWebhook({
    url: receiver.url,
    events: ['order.shipped'],
  });
  receiver.respond(responses(secret));
  if (fault !== undefined) {
    await control.addFault({ on: 'delivery', kind: fault as 'drop', webhook_id: id, count: faultCount });
  }
  await emulator.api('POST', '/events', { workspace_id, type: 'order.shipped', payload: { a: 1 } });
  await control.advanceClock({ workspace_id, ms: 0 });
  await beforehand?.(id);
  const explanation = await (probe
    ? control.probeDelivery({ id })
    : control.explainDelivery({ id, ...(attempt && { attempt }) }));
  await control.deleteWebhook({ id });
  return {
    ...explanation,
    remedy: explanation.hints[0]?.text,
    commands: listCommands(explanation),
  };
}

function listCommands({ hints }: Pick<Explanation, 'hints'>): string[] {
  return hints.flatMap(({ command }) => (command === undefined ? [] : [command]));
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
const timestampInMsContent = (request: ReceivedRequest) =>
  `${Date.parse(getTimestamp(request))}.${request.body}`;

it('a connection that fails, a paused delivery and a delivered one are explained, by each ID that leads to them, and latest is the one that failed last', async () => {
  await using own = await startTestEmulator();
  const { control } = own;
  const receiver = await createReceiver([200, 500]);
  const webhook = await control.createWebhook({ url: receiver.url });
  const send = async () => {
    const { json, headers } = await own.api('POST', '/events', { type: 'a.b' });
    await control.advanceClock({ ms: 0 });
    return { event: String(json.id), request: headers.get('request-id') ?? '' };
  };
  const explainLatest = () => control.explainDelivery({ id: 'latest' });
  const delivered = await send();
  const explained = { cause: 'delivered', hints: [], delivery: { event_id: delivered.event } };
  for (const id of [delivered.request, webhook.id]) {
    expect(await control.explainDelivery({ id })).toMatchObject(explained);
  }
  await expect(explainLatest()).rejects.toMatchObject({
    ...{ code: 'not_found', message: 'No delivery has failed.' },
    hint: { command: 'svc deliveries list' },
  });
  const rejected = await send();
  expect(await explainLatest()).toMatchObject({ delivery: { event_id: rejected.event } });
  await receiver.close();
  const failed = await send();
  const explanation = await explainLatest();
  expect(explanation).toMatchObject({ cause: 'connection_error', delivery: { event_id: failed.event } });
  expect(await control.explainDelivery({ id: failed.event })).toEqual(explanation);
  const { id } = explanation.delivery;
  expect(await control.explainDelivery({ id, attempt: 1 })).toEqual(explanation);
  await expect(control.explainDelivery({ id, attempt: 2 })).rejects.toMatchObject({ code: 'not_found' });
  await control.updateWebhook({ id: webhook.id, disabled: true });
  const paused = await control.explainDelivery({ id: failed.event });
  expect(listCommands(paused)[1]).toBe(`svc webhooks update ${webhook.id} --enable`);
});

it('an explanation of something without deliveries says so', async () => {
  const { control } = emulator;
  const { json } = await emulator.api('POST', '/events', { type: 'no.endpoint' });
  await expect(control.explainDelivery({ id: json.id })).rejects.toMatchObject({
    code: 'not_found',
    message: `${json.id} has no deliveries.`,
  });
  const list = await emulator.api('GET', '/events');
  await expect(control.explainDelivery({ id: list.headers.get('request-id') ?? '' })).rejects.toThrow(
    'is not a request for an event or an endpoint',
  );
  await expect(control.explainDelivery({ id: 'del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D' })).rejects.toMatchObject({
    code: 'not_found',
  });
});

const rotate = (id: string) => emulator.control.rotateWebhookSecret({ id, overlap_ms: 0 });

it.each<[string, Story, Partial<ExplainedStory>]>([
  [
    'a digest that Sum of Go has appended to the content',
    {
      responses: (secret) => (request) => {
        const content = Buffer.from(`${request.headers['service-timestamp']}.${request.body}`).toString(
          'hex',
        );
        return { status: 400, body: `not ${content}${createHmac('sha256', secret).digest('hex')}` };
      },
    },
    {
      detail: expect.stringContaining('Sum(content) of Go appends the digest to the content'),
      evidence: [expect.stringMatching(/ produces: [\da-f]{64}…$/)],
    },
  ],
  [
    'a 403 without a reason',
    { responses: () => 403 },
    { cause: 'rejected', certainty: 'certain', layer: null },
  ],
  [
    'a secret that was changed since',
    { responses: () => 401, beforehand: rotate },
    { cause: 'rejected', evidence: [], steps: expect.any(Array) },
  ],
  [
    'an error after a success',
    {
      responses: () => [200, { status: 500, body: 'UNIQUE constraint failed' }],
      fault: 'duplicate',
      attempt: 2,
    },
    {
      ...{ cause: 'receiver_error', summary: 'Delivered on attempt 1.' },
      attempt: expect.objectContaining({ number: 2, response_body: 'UNIQUE constraint failed' }),
      detail: 'Your receiver returned 500. It says "UNIQUE constraint failed".',
      evidence: [],
    },
  ],
  [
    'an error before a success',
    { responses: () => [500, 200], fault: 'duplicate', attempt: 1 },
    { cause: 'receiver_error', attempt: expect.objectContaining({ number: 1 }), steps: null },
  ],
  [
    'a fault that still applies',
    { responses: () => 200, fault: 'error-response', faultCount: 2 },
    {
      cause: 'injected_fault',
      remedy: 'Remove the injected fault (error-response) that caused this failure',
    },
  ],
])('the explanation of a receiver with %s has the right cause', async (_, story, expected) => {
  expect(await explainStory(story)).toMatchObject(expected);
});

it.each<[string, Story, RegExp[]]>([
  [
    'a connection without a response',
    { responses: () => ({ drop: true }) },
    [/^svc webhooks update wh_\w+ --url https:\S+$/, /^svc deliveries replay/],
  ],
  [
    'a wrong path',
    { responses: () => 404 },
    [/^svc webhooks update wh_\w+ --url URL$/, /^svc deliveries get/, /^svc deliveries replay/],
  ],
  [
    'a wrong path of a disabled endpoint',
    {
      responses: () => 404,
      beforehand: (id) => emulator.control.updateWebhook({ id, disabled: true }),
    },
    [/^svc webhooks update wh_\w+ --url URL$/, /--enable$/, /^svc deliveries replay/],
  ],
  ['an error', { responses: () => 500 }, [/^svc deliveries get del_\w+$/, /^svc deliveries replay/]],
  ['an injected fault', { responses: () => 400, fault: 'tamper-body' }, [/^svc deliveries replay/]],
  [
    'a rejection without a reason',
    { responses: () => 401 },
    [/--probe$/, /^svc deliveries get/, /^svc deliveries replay/],
  ],
])('the hints after %s have at most three commands, one of which replays', async (_, story, commands) => {
  const explanation = await explainStory(story);
  expect(explanation.commands).toEqual(commands.map((command) => expect.stringMatching(command)));
});

it.each<[string, Story, string, number]>([
  ['delivered', { responses: () => 200 }, 'delivered', 1],
  ['rate_limited', { responses: () => 429 }, 'rate_limited', 1],
  [
    'a certain mistake',
    { responses: () => ({ status: 400, body: 'Body is unusable' }) },
    'signature_rejected',
    1,
  ],
])('a probe sends nothing if the cause is known: %s', async (_, { responses }, cause, requests) => {
  let count = 0;
  const counted = (secret: string): ReceiverResponses => {
    const response = responses(secret);
    return () => {
      count++;
      return response as 200;
    };
  };
  const explanation = await explainStory({ responses: counted, probe: true });
  expect([explanation.cause, count]).toEqual([cause, requests]);
});

it.each([
  // Long words would be compared with the digests of all mistakes.
  ['x.'.repeat(500), 'x.'.repeat(500)],
  [`a${'x.'.repeat(500)}`, `a${'x.'.repeat(500).slice(0, 999)}…`],
  [' a\n', 'a'],
  [' ', null],
])('the explanation contains at most 1000 characters of the response', async (body, shown) => {
  const { attempt } = await explainStory({ responses: () => ({ status: 422, body }) });
  expect(attempt?.response_body).toBe(shown);
  expect(attempt).not.toHaveProperty('fault');
});

it('a delivery without an attempt is in progress, paused or canceled', async () => {
  const { control } = emulator;
  const gate = createGate();
  await using receiver = await createReceiver({ after: gate.opened });
  const { id } = await control.createWebhook({ url: receiver.url, events: ['a.b'] });
  const { json } = await emulator.api('POST', '/events', { type: 'a.b' });
  await receiver.waitFor(1);
  const explain = () => control.explainDelivery({ id: json.id });
  const none = { attempt: null, steps: null, mistake: null, certainty: 'certain' };
  const clockStep = expect.objectContaining({ command: 'svc clock next' });
  expect(await explain()).toMatchObject({ ...none, cause: 'not_sent', hints: [clockStep] });
  expect((await explain()).detail).toMatch(/^The first attempt is due: the receiver has not responded yet/);
  await control.updateWebhook({ id, disabled: true });
  const enableStep = expect.objectContaining({ command: `svc webhooks update ${id} --enable` });
  expect(await explain()).toMatchObject({ ...none, cause: 'paused', hints: [enableStep] });
  await control.deleteWebhook({ id });
  expect(await explain()).toMatchObject({ ...none, cause: 'canceled', hints: [] });
  gate.open();
});

const unknown = (index: number) => `v1=${String(index).repeat(64)}`;
/** Rejects with texts before the digest that a receiver with another content computes. */
const rejectAfter = (count: number) => (secret: string) =>
  verifyWith(timestampInMsContent, secret, (digest) =>
    [...Array.from({ length: count }, (_, index) => unknown(index)), `v1=${digest}`].join(' '),
  );

it.each<[string, Story, Partial<ExplainedStory>]>([
  [
    'the fourth digest',
    { responses: rejectAfter(3) },
    { mistake: expect.objectContaining({ reason: 'timestamp_changed' }) },
  ],
  ['a fifth digest, which is not compared', { responses: rejectAfter(4) }, { mistake: null }],
  [
    'the first of two unknown digests',
    { responses: () => ({ status: 400, body: `${unknown(1)} ${unknown(2)}` }) },
    { evidence: expect.arrayContaining([expect.stringContaining(`the digest ${unknown(1)},`)]) },
  ],
  [
    'a digest in base64',
    { responses: () => ({ status: 400, body: `invalid signature ${'aB3+'.repeat(10)}aB0=` }) },
    { evidence: expect.arrayContaining([expect.stringContaining('which no known mistake produces')]) },
  ],
  [
    'the hash of a commit, which is too short for a digest',
    { responses: () => ({ status: 400, body: 'ab12'.repeat(10) }) },
    { cause: 'rejected' },
  ],
  [
    'a text in base64 with another length',
    { responses: () => ({ status: 400, body: 'aB3+'.repeat(9) }) },
    { cause: 'rejected' },
  ],
])('the explanation of a response uses %s', async (_, story, expected) => {
  expect(await explainStory(story)).toMatchObject(expected);
});

it('the explanation of a delivery that succeeded after a failure names the attempt that failed', async () => {
  const { delivery, hints } = await explainStory({
    responses: () => [503, 200],
    beforehand: () => emulator.control.advanceClock({ ms: 300_000 }),
  });
  expect(hints).toEqual([
    { text: 'Explain attempt 1, which failed', command: `svc explain ${delivery.id} --attempt 1` },
  ]);
});

/** Lets the first retry be sent. */
const retry = () => emulator.control.advanceClock({ ms: 300_000 });
const processed = { status: 409, body: 'already processed' };
const badGateway = { status: 502, body: '<html><center>nginx</center></html>' };

it.each<[string, Story, string]>([
  ['returned 500', { responses: () => [500, processed] }, 'attempt 1 (500)'],
  [
    'closed the connection',
    { responses: () => [{ drop: true }, processed] },
    'attempt 1 (connection failed)',
  ],
  [
    'returned 500, and rejected the retry',
    { responses: () => [500, 409, processed], fault: 'duplicate' },
    'attempt 1 (500)',
  ],
])(
  'a 409 to a retry, after an attempt at which the receiver %s, is explained as that of a duplicate',
  async (_, story, attempt) => {
    const { detail, certainty, hints, cause } = await explainStory({ ...story, beforehand: retry });
    expect([cause, certainty, detail]).toEqual([
      'rejected',
      'likely',
      `Your receiver returned 409. It says "already processed". It probably recorded the event at ${attempt}, and rejects it as a duplicate. svc retries after a 409.`,
    ]);
    expect(hints[0]?.text).toBe('Return 2xx for an event that you have already recorded.');
  },
);

it.each<[string, Story]>([
  ['the first attempt', { responses: () => processed }],
  ['a retry after 409', { responses: () => [409, processed] }],
  ['a retry after 401', { responses: () => [401, processed] }],
  ['a retry after the 502 page of a proxy', { responses: () => [badGateway, processed] }],
  ['a retry after an invalid attempt', { responses: () => [500, processed], fault: 'bad-signature' }],
  ['a retry after a fault that sent nothing', { responses: () => processed, fault: 'drop' }],
])('a 409 to %s is not explained as that of a duplicate', async (_, story) => {
  const { detail, certainty } = await explainStory({ ...story, beforehand: retry });
  expect([certainty, detail]).toEqual([
    'certain',
    'Your receiver returned 409. It says "already processed".',
  ]);
});
