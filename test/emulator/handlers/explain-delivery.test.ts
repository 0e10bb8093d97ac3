import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { FaultKind } from '../../../src/domain/fault.ts';
import type { Explanation } from '../../../src/operations/explanation-schemas.ts';
import { getCertificate } from '../../support/certificates.ts';
import { startTestEmulator, type TestEmulator } from '../../support/test-emulator.ts';
import { createReceiver, type ReceivedRequest, type ReceiverResponses } from '../../support/test-receiver.ts';

// On a slow machine, the time limit of a probe would end it before its last mistake.
vi.mock('../../../src/platform/timers.ts', async (importActual) => ({
  ...(await importActual<typeof import('../../../src/platform/timers.ts')>()),
  monotonic: () => 0,
}));

let emulator: TestEmulator;
beforeAll(async () => {
  emulator = await startTestEmulator();
});
afterAll(() => emulator.close());

interface Story {
  readonly responses: (secret: string) => ReceiverResponses;
  /** Payloads of the events, as JSON text. */
  readonly payloads?: readonly string[];
  readonly fault?: FaultKind;
  /** How often the fault is applied (default: 1). */
  readonly faultCount?: number;
  /** Whether the explanation sends requests to the receiver. */
  readonly probe?: boolean;
  /** Runs before the explanation, with the ID of the endpoint. */
  readonly beforehand?: (id: string) => Promise<unknown>;
  /** Whether `beforehand` deletes the endpoint. */
  readonly isDeleted?: boolean;
  /** Number of the attempt to explain (default: the last). */
  readonly attempt?: number;
}

/** The explanation of a delivery, with the text of its first hint and the commands of all. */
interface ExplainedStory extends Explanation {
  readonly remedy: string | undefined;
  readonly commands: readonly string[];
}

/** Sends events to a new endpoint. @returns the explanation of its delivery that failed last */
async function explainStory({
  responses,
  payloads = ['{"a":1}'],
  fault,
  faultCount = 1,
  probe,
  beforehand,
  isDeleted = false,
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
  for (const payload of payloads) {
    const event = `{"workspace_id":"${workspace_id}","type":"order.shipped","payload":${payload}}`;
    await emulator.api('POST', '/events', event);
    await control.advanceClock({ workspace_id, ms: 0 });
  }
  await beforehand?.(id);
  const explanation = await (probe
    ? control.probeDelivery({ id })
    : control.explainDelivery({ id, ...(attempt && { attempt }) }));
  if (!isDeleted) await control.deleteWebhook({ id });
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
const correctContent = (request: ReceivedRequest) => `${getTimestamp(request)}.${request.body}`;
const timestampInMsContent = (request: ReceivedRequest) =>
  `${Date.parse(getTimestamp(request))}.${request.body}`;

it.each<[string, ReceiverResponses, Partial<ExplainedStory>]>([
  [
    'accepts only random signatures',
    // The attempt; then correct, random, random, correct.
    [401, 401, 200, 200, 401],
    {
      cause: 'signature_rejected',
      certainty: 'certain',
      detail: expect.stringMatching(/accepts a random one/),
    },
  ],
  ['limits the rate', [401, 401, 429, 429], { detail: expect.stringMatching(/responds differently/) }],
])(
  'a probe of a receiver that %s does not say that the signature is accepted',
  async (_, responses, expected) => {
    const explanation = await explainStory({ responses: () => responses, probe: true });
    expect(explanation).toMatchObject({ ...expected, mistake: null, evidence: [] });
  },
);

it('a probe names no mistake if the receiver was corrected while it ran', async () => {
  // The third request of the probe has the signature of a mistake.
  const explanation = await explainStory({ responses: () => [401, 401, 401, 200], probe: true });
  expect(explanation).toMatchObject({
    mistake: null,
    detail: expect.stringMatching(/responds differently/),
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
    hints: [],
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
  expect(listCommands(paused)[1]).toBe(`svc webhooks update ${webhook.id} --enable`);
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

it('latest is the delivery that failed last, and without one the error says that none has failed', async () => {
  await using own = await startTestEmulator();
  await using receiver = await createReceiver([200, 500, 500]);
  const { id } = await own.control.createWebhook({ url: receiver.url });
  const send = async () => {
    const { json } = await own.api('POST', '/events', { type: 'order.shipped' });
    await own.control.advanceClock({ ms: 0 });
    return json.id;
  };
  const explainLatest = () => own.control.explainDelivery({ id: 'latest' });
  const delivered = await send();
  await expect(explainLatest()).rejects.toMatchObject({
    ...{ code: 'not_found', message: 'No delivery has failed.' },
    hint: { command: 'svc deliveries list' },
  });
  expect(await own.control.explainDelivery({ id })).toMatchObject({ delivery: { event_id: delivered } });
  for (let count = 0; count < 2; count++) {
    const failed = await send();
    expect(await explainLatest()).toMatchObject({ delivery: { event_id: failed } });
  }
});

const skewed = (ms: number, body: string) => () => ({
  ...{ status: 400, body },
  headers: { date: new Date(Date.now() + ms).toUTCString() },
});
const rotate = (id: string) => emulator.control.rotateWebhookSecret({ id, overlap_ms: 0 });

it.each<[string, Story, Partial<ExplainedStory>]>([
  [
    'a complaint about the time and a clock that is ahead',
    { responses: () => skewed(3_600_000, 'timestamp too old') },
    {
      ...{ cause: 'receiver_clock', certainty: 'certain', evidence: [] },
      detail: expect.stringMatching(/ ahead of the clock of the emulator, according to its Date header\./),
    },
  ],
  [
    'a digest that no mistake produces',
    { responses: () => verifyWith(correctContent, 'whsec_other', (digest) => `computed v1=${digest}`) },
    {
      detail: expect.stringMatching(/the verification was reached, and rejected the signature\.$/),
      remedy: expect.stringMatching(/^Check that the receiver uses the current endpoint secret \(\S+\)\.$/),
    },
  ],
  [
    'a 403 without a reason',
    { responses: () => 403 },
    { cause: 'rejected', certainty: 'certain', layer: null },
  ],
  [
    'a 402 without a reason',
    { responses: () => 402 },
    { cause: 'rejected', certainty: 'certain', detail: 'Your receiver returned 402.' },
  ],
  [
    'a complaint about the time and a correct clock',
    { responses: () => ({ status: 422, body: 'timestamp too old' }) },
    { cause: 'signature_rejected', mistake: null, evidence: [] },
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
    'a complaint about the signature after a success',
    { responses: () => [200, { status: 500, body: 'invalid signature' }], fault: 'duplicate' },
    { cause: 'signature_rejected' },
  ],
  [
    'an error before a success',
    { responses: () => [500, 200], fault: 'duplicate', attempt: 1 },
    { cause: 'receiver_error', attempt: expect.objectContaining({ number: 1 }), steps: null },
  ],
  [
    'a path without POST',
    { responses: () => ({ status: 405, headers: { allow: 'GET' } }) },
    {
      ...{ cause: 'wrong_path', layer: { kind: 'method', by: 'The server' } },
      detail: 'The server does not accept POST at this path (405: it allows GET).',
    },
  ],
  [
    'a tampered body that is rejected',
    { responses: () => 400, fault: 'tamper-body' },
    {
      cause: 'injected_fault',
      detail: expect.stringMatching(
        /^Your receiver returned 400\. The injected fault tamper-body \(flt_\w+\) had changed the request\.$/,
      ),
      remedy: 'The injected fault (tamper-body) no longer applies. Replay the delivery',
    },
  ],
  [
    'a fault that still applies',
    { responses: () => 200, fault: 'error-response', faultCount: 2 },
    {
      cause: 'injected_fault',
      detail: expect.stringMatching(
        /^The injected fault error-response \(flt_\w+\) returned 503 Service Unavailable; nothing was sent to the receiver\.$/,
      ),
      remedy: 'Remove the injected fault (error-response) that caused this failure',
    },
  ],
])('the explanation of a receiver with %s has the right cause', async (_, story, expected) => {
  expect(await explainStory(story)).toMatchObject(expected);
});

it('an attempt that a delivery does not have cannot be explained', async () => {
  const { control } = emulator;
  await using receiver = await createReceiver(500);
  const { id } = await control.createWebhook({ url: receiver.url, events: ['a.b'] });
  await emulator.api('POST', '/events', { type: 'a.b' });
  await control.advanceClock({ ms: 0 });
  await expect(control.explainDelivery({ id, attempt: 2 })).rejects.toMatchObject({ code: 'not_found' });
  await control.deleteWebhook({ id });
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
  [
    'a signature that was rejected',
    { responses: () => ({ status: 401, body: 'invalid signature' }) },
    [/--probe$/, /--show-secret$/, /^svc deliveries replay/],
  ],
  [
    'a mistake that it reports',
    { responses: () => ({ status: 400, body: 'Body is unusable' }) },
    [/--steps$/, /^svc deliveries get/, /^svc deliveries replay/],
  ],
  [
    'a secret that is missing',
    { responses: () => ({ status: 400, body: 'Zero-length key is not supported' }) },
    [/--show-secret$/, /^svc deliveries get/, /^svc deliveries replay/],
  ],
  [
    'an unknown digest',
    { responses: () => verifyWith(correctContent, 'whsec_other', (digest) => `v1=${digest}`) },
    [/--show-secret$/, /^svc deliveries get/, /^svc deliveries replay/],
  ],
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
  ['x'.repeat(1_000), 'x'.repeat(1_000)],
  [`a${'x'.repeat(1_000)}`, `a${'x'.repeat(999)}…`],
  [' a\n', 'a'],
  [' ', null],
])('the explanation contains at most 1000 characters of the response', async (body, shown) => {
  const { attempt } = await explainStory({ responses: () => ({ status: 422, body }) });
  expect(attempt?.response_body).toBe(shown);
  expect(attempt).not.toHaveProperty('fault');
});

it('a delivery without an attempt is in progress, paused or canceled', async () => {
  const { control } = emulator;
  let respond = () => {};
  const after = new Promise<void>((resolve) => {
    respond = resolve;
  });
  await using receiver = await createReceiver({ status: 200, after });
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
  respond();
});

it.each<[string, ReceiverResponses, Partial<ExplainedStory>]>([
  [
    '422',
    422,
    { cause: 'rejected', detail: expect.stringContaining('Every signature gets the same response') },
  ],
  [
    '500',
    500,
    { cause: 'receiver_error', detail: expect.stringContaining('your code fails before it compares') },
  ],
  [
    '400',
    { status: 400, body: 'payload.order_id is required' },
    {
      cause: 'rejected',
      detail:
        'Your receiver returned 400. Every signature gets the same response, even a random one: the code that verifies was probably not reached, the data are rejected, or it uses a secret or makes a mistake that svc does not know.',
      remedy: expect.stringMatching(/^Log the request in the first line of your handler/),
    },
  ],
  [
    'invalid signature',
    { status: 401, body: 'invalid signature' },
    {
      cause: 'signature_rejected',
      detail: expect.stringContaining(
        'it uses a secret that svc does not know, makes another mistake, limits failed attempts, or fails after the verification',
      ),
      remedy: expect.stringMatching(/^Compare the secret of the receiver with/),
    },
  ],
])(
  'a complete probe of a receiver that always returns %s says what it shows',
  async (_, responses, expected) => {
    const explanation = await explainStory({ responses: () => responses, probe: true });
    expect(explanation).toMatchObject({ ...expected, mistake: null });
    expect(explanation.evidence[0]).toMatch(
      /^The probe sent the correct signature, a random one, and those of \d+ known mistakes\.$/,
    );
    expect(explanation.certainty).toBe('likely');
    expect(explanation.commands).toEqual([
      expect.stringMatching(/--show-secret$/),
      expect.stringMatching(/^svc verify --delivery/),
      expect.stringMatching(/^svc deliveries replay/),
    ]);
  },
);

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

/** Rejects other signatures with 400, and responds to valid ones with the status. */
const failAfterVerification =
  (...statuses: number[]) =>
  (secret: string): ReceiverResponses => {
    let count = 0;
    return (request) => {
      const digest = createHmac('sha256', secret).update(correctContent(request)).digest('hex');
      const isValid = request.headers['service-signature'] === `v1=${digest}`;
      const status = statuses[Math.min(count, statuses.length - 1)] ?? 200;
      if (isValid) count++;
      return isValid ? { status, body: 'missing order' } : { status: 400, body: 'no' };
    };
  };

it.each<[string, Story, Partial<ExplainedStory>]>([
  [
    '401',
    { responses: failAfterVerification(401) },
    { cause: 'rejected', certainty: 'certain', remedy: expect.stringMatching(/^Read the response/) },
  ],
  [
    '500',
    { responses: failAfterVerification(500) },
    {
      cause: 'receiver_error',
      certainty: 'certain',
      detail: expect.stringMatching(/^Your receiver returned 500\. It accepts the signature/),
    },
  ],
  [
    '500 to a duplicate',
    { responses: failAfterVerification(200, 500), fault: 'duplicate' },
    {
      cause: 'receiver_error',
      evidence: [expect.stringMatching(/^Both times, a random signature/)],
    },
  ],
])('a probe of a receiver that verifies and then returns %s says so', async (_, story, expected) => {
  const explanation = await explainStory({ ...story, probe: true });
  expect(explanation).toMatchObject({ ...expected, mistake: null });
  expect(explanation.evidence[0]).toBe(
    'Both times, a random signature got a different response, so the correct one was accepted.',
  );
});

it('a probe that cannot be completed says how many mistakes it tried', async () => {
  const responses: ReceiverResponses = [...Array(12).fill(401), { drop: true }];
  const { evidence, cause } = await explainStory({ responses: () => responses, probe: true });
  expect(cause).toBe('rejected');
  expect(evidence[0]).toBe(
    'The probe sent the signatures of 10 known mistakes, and then the receiver did not respond.',
  );
});

it('a probe that stopped because the body is large suggests a small event, and not itself', async () => {
  const payloads = [JSON.stringify({ text: 'x'.repeat(70_000) })];
  const { remedy, commands } = await explainStory({ responses: () => 401, payloads, probe: true });
  expect(remedy).toMatch(
    /^Trigger an event with a small payload, and probe its delivery\. If the receiver accepts it, .*body limit/,
  );
  expect(commands).not.toContainEqual(expect.stringContaining('--probe'));
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

it('the error for a closed connection suggests HTTPS only before the first response', async () => {
  const guess =
    /closed the connection without a response: it may expect HTTPS, or it crashed while it handled the request\.$/;
  const first = await explainStory({ responses: () => ({ drop: true }) });
  expect([first.detail, first.remedy]).toEqual([
    expect.stringMatching(guess),
    'Read the log of the receiver. If it expects HTTPS, register the https:// URL',
  ]);
  const later = await explainStory({ responses: () => [500, { drop: true }], beforehand: retry });
  expect([later.attempt?.number, later.detail, later.remedy]).toEqual([
    2,
    expect.stringMatching(/closed the connection before it responded\.$/),
    'Start or fix the receiver, or change the endpoint URL',
  ]);
});

it('a receiver that expects HTTPS closes a plain connection, and the hint has its https:// URL', async () => {
  const { control } = emulator;
  const server = createServer(getCertificate('localhost')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { id } = await control.createWebhook({ url: `http://127.0.0.1:${port}/hooks`, events: ['a.b'] });
  await emulator.api('POST', '/events', '{"type":"a.b","payload":{}}');
  await control.advanceClock({ ms: 0 });
  const { detail, hints } = await control.explainDelivery({ id });
  expect(detail).toMatch(
    / the connection without a response: it may expect HTTPS, or it crashed while it handled the request\.$/,
  );
  expect(hints[0]?.command).toBe(`svc webhooks update ${id} --url https://127.0.0.1:${port}/hooks`);
  await control.deleteWebhook({ id });
  server.close();
});
