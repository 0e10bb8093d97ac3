/** The verdict on a receiver is true whatever happened before: rotations, restarts, a correction. The texts are tested in diagnosis. */
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { maskSecret } from '../../../src/domain/credentials.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../src/domain/duration.ts';
import type { SendRequest, SendResult } from '../../../src/emulator/deliveries/sender.ts';
import * as senders from '../../../src/emulator/deliveries/sender.ts';
import type { Explanation } from '../../../src/operations/explanation-schemas.ts';
import type { WebhookWithSecret } from '../../../src/resources/endpoint.ts';
import { startTestEmulator, type TestEmulator } from '../../support/test-emulator.ts';

interface ReceivedRequest {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface ReceiverResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

type Respond = (request: ReceivedRequest) => ReceiverResponse;

/** The receivers by URL. They are called in this process, because the probes send thousands of requests. */
const receivers = new Map<string, Respond>();

function sendInProcess({ url, headers, body: sent }: SendRequest): SendResult {
  const lowerCase = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  const respond = receivers.get(url);
  if (respond === undefined) throw new Error(`no receiver at ${url}`);
  const response = respond({ headers: Object.fromEntries(lowerCase), body: String(sent) });
  const { status, headers: ownHeaders, body = '' } = response;
  const isSuccess = status < 300;
  return {
    ...{ outcome: isSuccess ? 'succeeded' : 'http_error', responseStatus: status },
    ...{
      error: isSuccess ? null : `responded with ${status}`,
      durationMs: 0,
      phases: null,
      retryAfterMs: null,
    },
    response: {
      headers: { date: new Date().toUTCString(), ...ownHeaders },
      ...{ body: Buffer.from(body), truncated: false },
    },
  };
}

let emulator: TestEmulator;
beforeAll(async () => {
  const createSender = vi.spyOn(senders, 'createSender').mockReturnValue({
    connect: () => Promise.reject(new Error('no test connects')),
    send: async (request) => sendInProcess(request),
    close: async () => {},
  });
  emulator = await startTestEmulator();
  createSender.mockRestore();
});
afterAll(() => emulator.close());

/** The secrets that exist when the receiver is started. */
interface Secrets {
  readonly current: string;
  readonly previous: string;
  readonly otherEndpoint: string;
}

interface Mistake {
  /** The secret that it uses (default: the current one, and that of before the rotation). */
  readonly secret?: (secrets: Secrets) => string;
  readonly content?: (request: ReceivedRequest) => string;
  /** Whether the header of the request matches the signature that the receiver computed. */
  readonly matches?: (header: string, computed: string) => boolean;
  /** A mistake that only exists after a rotation. */
  readonly histories?: readonly History[];
  /** How the receiver reads the timestamp, in milliseconds since 1970 (default: it does not). */
  readonly readTimestamp?: (text: string) => number;
  /** How far its clock is ahead. */
  readonly clockSkewMs?: number;
  /** Response to a request with a valid signature (default: 200). */
  readonly afterwards?: number;
}

const getTimestamp = ({ headers }: ReceivedRequest) => String(headers['service-timestamp']);

const mistakes: Readonly<Record<string, Mistake>> = {
  // A probe tries every known mistake, which takes seconds.
  'unknown secret': { secret: () => 'whsec_unknown', histories: ['in overlap', 'rotated since'] },
  'secret of another endpoint': { secret: ({ otherEndpoint }) => otherEndpoint },
  'previous secret': { secret: ({ previous }) => previous, histories: ['rotated', 'overlap ended'] },
  'API key': { secret: () => emulator.status().api_key },
  'body only': { content: ({ body }) => body },
  'whole header compared': {
    matches: (header, computed) => header === computed,
    histories: ['in overlap'],
  },
  'timestamp read as seconds': { readTimestamp: (text) => Number(text) * SECOND_MS },
  'clock 10 minutes behind': { readTimestamp: Date.parse, clockSkewMs: -10 * MINUTE_MS },
  'none, fails afterwards': { afterwards: 422 },
};

type History = keyof typeof playHistory;

/** What happened before the delivery that is explained (`before`), and after it. */
const playHistory = {
  'nothing before': async () => ({}),
  restarted: async (story: Story) => {
    await story.accept();
    return {};
  },
  rotated: async (story: Story) => {
    await story.accept();
    await story.rotate(0);
    return {};
  },
  'overlap ended': async (story: Story) => {
    await story.accept();
    await story.rotate(HOUR_MS);
    // With the signature of the previous secret.
    await story.accept();
    await emulator.control.advanceClock({ workspace_id: story.workspaceId, ms: HOUR_MS });
    return {};
  },
  'in overlap': async (story: Story) => {
    await story.accept();
    await story.rotate(HOUR_MS);
    return {};
  },
  'corrected since': async () => ({ after: (story: Story) => story.accept() }),
  'rotated since': async (story: Story) => {
    await story.accept();
    return { after: () => story.rotate(0) };
  },
} satisfies Record<string, (story: Story) => Promise<{ after?: (story: Story) => Promise<void> }>>;

const histories = Object.keys(playHistory) as History[];

let nextPath = 1;

/** An endpoint, its receiver, and everything that is true about them. */
class Story implements AsyncDisposable {
  secrets: Secrets;

  readonly webhookId: string;
  readonly workspaceId: string;
  readonly otherWebhookId: string;

  readonly #url: string;

  constructor(webhook: WebhookWithSecret, other: WebhookWithSecret) {
    this.#url = webhook.url;
    this.webhookId = webhook.id;
    this.workspaceId = webhook.workspace_id;
    this.otherWebhookId = other.id;
    this.secrets = { current: webhook.secret, previous: '', otherEndpoint: other.secret };
  }

  static async start(): Promise<Story> {
    const url = `http://127.0.0.1:4242/${nextPath++}`;
    const webhook = await emulator.control.createWebhook({ url, events: ['order.shipped'] });
    const other = await emulator.control.createWebhook({ url: `${url}/other`, events: ['a.b'] });
    return new Story(webhook, other);
  }

  respond(respond: Respond): void {
    receivers.set(this.#url, respond);
  }

  /** @returns the ID of the delivery */
  async send(): Promise<string> {
    const event = `{"workspace_id":"${this.workspaceId}","type":"order.shipped","payload":{"a":1}}`;
    const { base_url: baseUrl, api_key: key } = emulator.status();
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const created = await fetch(`${baseUrl}/events`, { method: 'POST', headers, body: event });
    const { id } = (await created.json()) as { readonly id: string };
    await emulator.control.advanceClock({ workspace_id: this.workspaceId, ms: 0 });
    const { data } = await emulator.control.listDeliveries({ event_id: id });
    return data[0]?.id ?? '';
  }

  /** The receiver is correct, and accepts a delivery. */
  async accept(): Promise<void> {
    this.respond(verifyWith({}, this.secrets, false));
    await this.send();
  }

  async rotate(overlapMs: number): Promise<void> {
    const { secret } = await emulator.control.rotateWebhookSecret({
      id: this.webhookId,
      overlap_ms: overlapMs,
    });
    this.secrets = { ...this.secrets, current: secret, previous: this.secrets.current };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await emulator.control.deleteWebhook({ id: this.webhookId });
    await emulator.control.deleteWebhook({ id: this.otherWebhookId });
  }
}

function verifyWith(mistake: Mistake, secrets: Secrets, isReporting: boolean): Respond {
  const {
    secret,
    content = (request: ReceivedRequest) => `${getTimestamp(request)}.${request.body}`,
    matches = (header: string, computed: string) => header.split(',').includes(computed),
    readTimestamp,
    clockSkewMs = 0,
    afterwards = 200,
  } = mistake;
  return (request) => {
    const candidates = secret ? [secret(secrets)] : [secrets.current, secrets.previous];
    const computed = candidates.map(
      (candidate) => `v1=${createHmac('sha256', candidate).update(content(request)).digest('hex')}`,
    );
    const now = Date.now() + clockSkewMs;
    const headers = { date: new Date(now).toUTCString() };
    if (readTimestamp && !(Math.abs(now - readTimestamp(getTimestamp(request))) < 5 * MINUTE_MS)) {
      return { status: 400, headers, body: 'timestamp too old' };
    }
    const header = String(request.headers['service-signature']);
    if (computed.some((signature) => matches(header, signature))) {
      return afterwards === 200 ? { status: 200 } : { status: afterwards, body: 'the order does not exist' };
    }
    return { status: 400, body: isReporting ? `computed ${computed[0]}` : 'invalid signature' };
  };
}

/**
 * @returns the verdicts of `svc explain` on a receiver that says nothing, with `--probe`, and on one that reports its digest; `?`
 *   means likely
 */
async function playStory(mistake: Mistake, history: History): Promise<string> {
  await using story = await Story.start();
  const { control } = emulator;
  const { after }: { after?: (story: Story) => Promise<void> } = await playHistory[history](story);
  const { secrets } = story;
  story.respond(verifyWith(mistake, secrets, false));
  const silentId = await story.send();
  story.respond(verifyWith(mistake, secrets, true));
  const reportingId = await story.send();
  await after?.(story);
  const check = (explanation: Explanation) => {
    const { detail, mistake: found, certainty, hints } = explanation;
    expect(found === null || certainty === 'certain', detail).toBe(true);
    const shown = /current endpoint secret \((\S+)\)/.exec(hints[0]?.text ?? '')?.[1];
    if (shown !== undefined) expect(shown).toBe(maskSecret(story.secrets.current));
    return describeVerdict(explanation);
  };
  const silent = check(await control.explainDelivery({ id: silentId }));
  const reporting = check(await control.explainDelivery({ id: reportingId }));
  // A probe after the rotation would be signed with a secret that the receiver never had.
  if (history === 'rotated since') return `${silent}, ${reporting}`;
  if (history !== 'corrected since') story.respond(verifyWith(mistake, secrets, false));
  return `${silent}, ${check(await control.probeDelivery({ id: silentId }))}, ${reporting}`;
}

function describeVerdict({ cause, certainty, mistake, detail }: Explanation): string {
  if (detail.includes('It accepts the delivery now.')) return 'accepts now';
  const isUnknownSecret = detail.includes('a secret that svc does not know');
  return `${mistake?.reason ?? (isUnknownSecret ? 'unknown secret' : cause)}${certainty === 'likely' ? '?' : ''}`;
}

it.each(Object.entries(mistakes))(
  'the verdict on a receiver is true, whatever happened before: %s',
  async (_, mistake) => {
    const verdicts: Record<string, string> = {};
    for (const history of mistake.histories ?? histories) {
      verdicts[history] = await playStory(mistake, history);
    }
    expect(verdicts).toMatchSnapshot();
  },
);
