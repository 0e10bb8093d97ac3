/** Runs an emulator as "the service" on a clock of its own, and records its requests and deliveries as NDJSON. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { WallClock } from '../../src/domain/clock.ts';
import { type Overrides, resolveRules } from '../../src/profile/resolve-rules.ts';
import { checkGaps, type GapCheckInput, type GapReport } from '../../src/recordings/check-gaps.ts';
import type { RequestLine } from '../../src/recordings/read-recording.ts';
import { parseRecording } from '../../src/recordings/read-recording.ts';
import type { StartTarget } from '../../src/recordings/replay.ts';
import { sendSampleRequests } from '../../src/recordings/sample-requests.ts';
import { sortRecording } from '../../src/recordings/sort-recording.ts';
import { listen } from '../support/local-server.ts';
import { startTestEmulator, type TestEmulator } from '../support/test-emulator.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** A wall clock that the recording moves together with the schedule clock. */
class ServiceClock implements WallClock {
  #now = Date.UTC(2026, 10, 20);
  readonly now = () => this.#now;
  readonly monotonic = this.now;
  advance(ms: number): void {
    this.#now += ms;
  }
}

export interface Recording {
  readonly text: string;
  readonly secrets: readonly string[];
}

type Headers = Readonly<Record<string, string>>;

class Recorder {
  readonly lines: RequestLine[] = [];
  readonly clock = new ServiceClock();

  add(line: Omit<RequestLine, 'sent_at'> & { readonly at: number }): void {
    const { at, ...rest } = line;
    this.lines.push({ sent_at: new Date(at).toISOString(), ...rest });
  }
}

export async function recordService(overrides: Overrides, randomSeed = 1): Promise<Recording> {
  const recorder = new Recorder();
  await recordApi(recorder, overrides, randomSeed);
  const secrets = await recordDeliveries(recorder, overrides, randomSeed);
  return { text: recorder.lines.map((line) => JSON.stringify(line)).join('\n'), secrets };
}

function start(recorder: Recorder, overrides: Overrides, randomSeed: number): Promise<TestEmulator> {
  return startTestEmulator({ overrides, randomSeed, wall: recorder.clock });
}

async function recordApi(recorder: Recorder, overrides: Overrides, randomSeed: number): Promise<void> {
  await using emulator = await start(recorder, overrides, randomSeed);
  const { control } = emulator;
  const { base_url, api_key, workspace_id } = emulator.status();
  const rules = resolveRules('relaxed', overrides);
  const wait = async (ms: number) => {
    recorder.clock.advance(ms);
    await control.advanceClock({ ms });
  };
  const send = async (request: RequestLine['request']) => {
    const { method, url, headers, body } = request;
    const response = await fetch(url, { method, headers, body: body || null });
    const text = await response.text();
    recorder.add({
      at: recorder.clock.now(),
      duration_ms: 3,
      request,
      response_status: response.status,
      response: { headers: Object.fromEntries(response.headers), body: text },
    });
    return { status: response.status, text };
  };
  const request = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    send({
      method,
      url: base_url + path,
      headers: {
        authorization: `Bearer ${api_key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? '' : JSON.stringify(body),
    });

  const sendAndWait = async (request: RequestLine['request']) => {
    const response = await send(request);
    await wait(1000);
    return response;
  };
  await sendSampleRequests({ send: sendAndWait, baseUrl: base_url, apiKey: api_key, type: 'svc.recorded' });
  // Nothing is delivered to these endpoints.
  const webhook = { workspace_id, url: 'https://example.com/none', events: ['order.created'] };
  await request('POST', '/webhooks', { ...webhook, url: 'http://127.0.0.1:9/none' });
  await request('POST', '/webhooks', { ...webhook, events: ['*'] });
  // The idempotency key of an event.
  const shared = { 'idempotency-key': 'shared' };
  await request('POST', '/events', { type: 'order.created', [rules.payloadField]: {} }, shared);
  await wait(1000);
  await request('POST', '/webhooks', webhook, shared);
  await wait(1000);
  for (const { id } of (await control.listWebhooks({ limit: 100 })).data) await control.deleteWebhook({ id });

  const field = rules.payloadField;
  const event = (index: number) => ({ type: 'order.created', [field]: { index } });
  for (let index = 0; index <= rules.list.defaultLimit; index++) {
    await request('POST', '/events', event(index));
    await wait(1000);
  }
  const list = `/events?${rules.list.workspaceParameter}=${workspace_id}`;
  await request('GET', list);
  await wait(1000);

  // Idempotency keys that are sent again between two usual retention times.
  const attemptTimes = [0.5, 3, 7, 12, 20, 45, 90, 150, 240, 540, 1080, 2160, 3600].map(
    (minutes) => minutes * MINUTE_MS,
  );
  const startedAt = recorder.clock.now();
  const idempotent = (index: number) =>
    request('POST', '/events', event(index), { 'idempotency-key': `retention-${index}` });
  for (const index of attemptTimes.keys()) {
    await idempotent(index);
    await wait(1000);
  }
  for (const [index, ms] of attemptTimes.entries()) {
    await wait(startedAt + ms + 1000 * (index + 20) - recorder.clock.now());
    await idempotent(index);
  }
}

/** The response status to the first attempt of a delivery, and to the others. */
const statuses = {
  fail: [500, 500],
  redirect: [302, 200],
  gone: [410, 500],
  after: [503, 200],
  ok: [204, 204],
} as const;

/** Records what arrives at a receiver on the clock of the service. */
async function startReceiver(recorder: Recorder, retryAfterSeconds: number) {
  const attempts = new Map<string, number>();
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const at = recorder.clock.now();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const id = String(request.headers['service-delivery-id']);
    const attempt = (attempts.get(id) ?? 0) + 1;
    attempts.set(id, attempt);
    response.once('close', () => {
      recorder.add({
        at,
        // Not measured, because a busy machine measures too much.
        duration_ms: 3,
        request: {
          method: 'POST',
          url: `https://receiver.example${request.url}`,
          headers: request.headers as Headers,
          body: Buffer.concat(chunks).toString(),
        },
        response_status: response.statusCode,
        response: { headers: response.getHeaders() as Headers, body: '' },
      });
    });
    const [first, later] = statuses[String(request.url).slice(1) as keyof typeof statuses];
    response.statusCode = attempt === 1 ? first : later;
    if (response.statusCode === 503) response.setHeader('retry-after', String(retryAfterSeconds));
    response.end();
  }
  const server = createServer((request, response) => void handle(request, response));
  return {
    url: `http://127.0.0.1:${await listen(server)}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Deliveries that fail until the end of the retry window. */
const FAILING_DELIVERIES = 20;

async function recordDeliveries(
  recorder: Recorder,
  overrides: Overrides,
  randomSeed: number,
): Promise<string[]> {
  // The receiver has a local address. The rest of the recording shows the rule for URLs.
  const local = {
    ...overrides,
    'webhook.url': 'local',
    'rate.limit': 'off',
    'event.catalog': 'open',
    'webhook.limit': 100,
  };
  await using emulator = await start(recorder, local, randomSeed);
  const { control } = emulator;
  const { base_url, api_key } = emulator.status();
  const { retry, payloadField } = resolveRules('relaxed', overrides);
  const [firstDelay = 0] = retry.delaysMs;
  const retryAfterSeconds = Math.round(Math.min(3 * firstDelay, 20 * HOUR_MS) / 1000);
  const receiver = await startReceiver(recorder, retryAfterSeconds);
  const secrets: string[] = [];
  try {
    const endpoints: Record<string, string> = {};
    for (const name of Object.keys(statuses)) {
      const created = await control.createWebhook({
        url: `${receiver.url}/${name}`,
        events: [`${name}.created`],
      });
      endpoints[name] = created.id;
      secrets.push(created.secret);
    }
    const createEvents = async (name: string, count: number) => {
      for (let index = 0; index < count; index++) {
        const body = JSON.stringify({ type: `${name}.created`, [payloadField]: { index, name: 'Zoë' } });
        const headers = { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' };
        await fetch(`${base_url}/events`, { method: 'POST', headers, body });
      }
    };
    await createEvents('fail', FAILING_DELIVERIES);
    await createEvents('gone', 3);
    await createEvents('after', 3);
    await createEvents('redirect', 1);
    await createEvents('ok', 1);
    await control.advanceClock({ ms: 0 });
    const rotated = await control.rotateWebhookSecret({ id: endpoints.ok ?? '', overlap_ms: HOUR_MS });
    secrets.push(rotated.secret);
    await createEvents('ok', 2);
    await control.advanceClock({ ms: 0 });
    for (;;) {
      const { next_due_at: next } = await control.getClock({});
      if (next === null) break;
      recorder.clock.advance(Math.max(0, Date.parse(next) - recorder.clock.now()));
      await control.nextClock({});
    }
    await createEvents('ok', 1);
    await createEvents('gone', 1);
    await control.advanceClock({ ms: 0 });
  } finally {
    await receiver.close();
  }
  return secrets;
}

export type CheckOptions = Partial<Omit<GapCheckInput, 'recording'>>;

/** Checks the text of a recording as `svc gaps check` does. */
export async function checkRecording(text: string, options: CheckOptions = {}): Promise<GapReport> {
  const { exchanges } = parseRecording(text, 'recording');
  const startTarget: StartTarget = (overrides, wall) =>
    startTestEmulator({ overrides, wall, clock: { frozen: false } });
  return checkGaps({
    recording: sortRecording(exchanges),
    startTarget,
    secrets: [],
    checksSignatures: true,
    profile: 'relaxed',
    overrides: {},
    environment: 'sandbox',
    ...options,
  });
}
