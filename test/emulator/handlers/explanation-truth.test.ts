/** Plays each known mistake of a receiver with several histories, and checks every line of the explanations against the truth. */
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { renderExplanation } from '../../../src/cli/render/explanation.ts';
import { widthOf } from '../../../src/cli/render/text-width.ts';
import { maskSecret } from '../../../src/domain/credentials.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../src/domain/duration.ts';
import type { Sender, SendRequest, SendResult } from '../../../src/emulator/deliveries/sender.ts';
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

vi.mock(import('../../../src/emulator/deliveries/sender.ts'), async (importOriginal) => ({
  ...(await importOriginal()),
  createSender: (): Sender => ({
    connect: () => Promise.reject(new Error('no test connects')),
    send: async (request) => sendInProcess(request),
    close: async () => {},
  }),
}));

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
  emulator = await startTestEmulator();
});
afterAll(() => emulator.close());

/** The secrets that exist when the receiver is started. */
interface Secrets {
  readonly current: string;
  readonly previous: string;
  readonly otherEndpoint: string;
}

interface Mistake {
  /** `reason` of the explanation; null if svc cannot find it. */
  readonly reason: string | null;
  readonly secret?: (secrets: Secrets) => string;
  readonly content?: (request: ReceivedRequest) => string;
  readonly algorithm?: string;
  readonly format?: (digest: Buffer) => string;
  /** Whether the header of the request matches the signature that the receiver computed. */
  readonly matches?: (header: string, computed: string) => boolean;
  /** Whether the receiver knows the secret. */
  readonly isSecretWrong?: true;
  readonly payload?: string;
  /** Body of the response to a signature that is wrong for the receiver (default: `invalid signature`). */
  readonly rejection?: string;
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
const CHANGED_BY_JSON = '{"a":1.50}';

const mistakes: Readonly<Record<string, Mistake>> = {
  'unknown secret': { reason: null, secret: () => 'whsec_unknown', isSecretWrong: true },
  'unknown secret, body that JSON.stringify changes': {
    reason: null,
    secret: () => 'whsec_unknown',
    isSecretWrong: true,
    payload: CHANGED_BY_JSON,
  },
  'unknown secret, empty responses': {
    reason: null,
    secret: () => 'whsec_unknown',
    isSecretWrong: true,
    rejection: '',
  },
  'secret of another endpoint': {
    reason: 'wrong_secret',
    secret: ({ otherEndpoint }) => otherEndpoint,
    isSecretWrong: true,
  },
  'previous secret': {
    reason: 'wrong_secret',
    secret: ({ previous }) => previous,
    isSecretWrong: true,
    histories: ['rotated', 'overlap ended'],
  },
  'unset variable': { reason: 'wrong_secret', secret: () => 'undefined', isSecretWrong: true },
  'quoted secret': { reason: 'wrong_secret', secret: ({ current }) => `"${current}"`, isSecretWrong: true },
  'API key': {
    reason: 'api_key_as_secret',
    secret: () => emulator.status().api_key,
    isSecretWrong: true,
  },
  'secret without prefix': { reason: 'key_changed', secret: ({ current }) => current.slice('whsec_'.length) },
  'timestamp in milliseconds': {
    reason: 'timestamp_changed',
    content: (request) => `${Date.parse(getTimestamp(request))}.${request.body}`,
  },
  'body only': { reason: 'content_changed', content: ({ body }) => body },
  'body serialized again': {
    reason: 'body_changed',
    content: (request) => `${getTimestamp(request)}.${JSON.stringify(JSON.parse(request.body))}`,
    payload: CHANGED_BY_JSON,
  },
  'SHA-512': { reason: 'algorithm_changed', algorithm: 'sha512' },
  base64: { reason: 'encoding_changed', format: (digest) => `v1=${digest.toString('base64')}` },
  'comparison without prefix': { reason: 'encoding_changed', format: (digest) => digest.toString('hex') },
  'whole header compared': {
    reason: 'header_not_split',
    matches: (header, computed) => header === computed,
    histories: ['in overlap'],
  },
  'timestamp read as seconds': {
    reason: 'timestamp_unreadable',
    readTimestamp: (text) => Number(text) * SECOND_MS,
  },
  'clock 10 minutes behind': { reason: null, readTimestamp: Date.parse, clockSkewMs: -10 * MINUTE_MS },
  'none, fails afterwards': { reason: null, afterwards: 422 },
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
  /** Secrets that deliveries are signed with. */
  signing: readonly string[];
  attempts = 0;

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
    this.signing = [webhook.secret];
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
  async send(payload = '{"a":1}'): Promise<string> {
    const event = `{"workspace_id":"${this.workspaceId}","type":"order.shipped","payload":${payload}}`;
    const { base_url: baseUrl, api_key: key } = emulator.status();
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const created = await fetch(`${baseUrl}/events`, { method: 'POST', headers, body: event });
    const { id } = (await created.json()) as { readonly id: string };
    await emulator.control.advanceClock({ workspace_id: this.workspaceId, ms: 0 });
    this.attempts++;
    const { data } = await emulator.control.listDeliveries({ event_id: id });
    return data[0]?.id ?? '';
  }

  /** The receiver is correct, and accepts a delivery. */
  async accept(): Promise<void> {
    this.respond(verifyWith({ reason: null }, this.secrets, false));
    await this.send();
  }

  async rotate(overlapMs: number): Promise<void> {
    const { secret } = await emulator.control.rotateWebhookSecret({
      id: this.webhookId,
      overlap_ms: overlapMs,
    });
    this.secrets = { ...this.secrets, current: secret, previous: this.secrets.current };
    this.signing = overlapMs > 0 ? [secret, this.secrets.previous] : [secret];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await emulator.control.deleteWebhook({ id: this.webhookId });
    await emulator.control.deleteWebhook({ id: this.otherWebhookId });
  }
}

function verifyWith(mistake: Mistake, secrets: Secrets, isReporting: boolean): Respond {
  const {
    secret = ({ current }: Secrets) => current,
    content = (request: ReceivedRequest) => `${getTimestamp(request)}.${request.body}`,
    algorithm = 'sha256',
    format = (digest: Buffer) => `v1=${digest.toString('hex')}`,
    matches = (header: string, computed: string) => header.split(',').includes(computed),
    readTimestamp,
    clockSkewMs = 0,
    rejection = 'invalid signature',
    afterwards = 200,
  } = mistake;
  return (request) => {
    // A correct receiver has the secret of before the rotation until it is updated, and accepts either signature.
    const candidates =
      mistake.reason === null && !mistake.isSecretWrong
        ? [secrets.current, secrets.previous]
        : [secret(secrets)];
    const computed = candidates.map((candidate) =>
      format(createHmac(algorithm, candidate).update(content(request)).digest()),
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
    return { status: 400, body: isReporting ? `computed ${computed[0]}` : rejection };
  };
}

interface Truth {
  readonly story: Story;
  readonly mistake: Mistake;
  readonly history: History;
  /** The secrets that the explained attempt was signed with. */
  readonly signing: readonly string[];
  readonly status: number;
}

/** Whether a text is true, for each text that an explanation can contain. The groups of the pattern are arguments. */
const claims: readonly (readonly [RegExp, (truth: Truth, groups: readonly string[]) => boolean])[] = [
  // The detail, after the status.
  [
    /^It says "invalid signature": the verification was reached, and rejected the signature\.$/,
    ({ status, mistake }) => status === 400 && mistake.rejection === undefined,
  ],
  [
    /^It says "timestamp too old": the verification was reached, and rejected the time of the signature\.$/,
    ({ mistake }) => mistake.readTimestamp !== undefined,
  ],
  [
    /^It returned the digest that it computed: the verification was reached, and rejected the signature\.$/,
    isReporting,
  ],
  [
    /^Every signature gets this response, even a random one: it uses a secret that svc does not know, makes another mistake, limits failed attempts, or fails after the verification and responds in the same way\.$/,
    ({ mistake }) => mistake.reason === null && mistake.isSecretWrong === true,
  ],
  [
    /^Every signature gets the same response, even a random one: the code that verifies was probably not reached, the data are rejected, or it uses a secret or makes a mistake that svc does not know\.$/,
    ({ mistake }) => mistake.reason === null && mistake.isSecretWrong === true && mistake.rejection === '',
  ],
  [
    /^The response does not say what was rejected: the signature, the data, or the request before your code ran\.$/,
    ({ mistake }) => mistake.rejection === '',
  ],
  [/^It says "computed (?:v1=)?\S+"\.$/, isReporting],
  [
    /^The response contains the digest that was sent\. If the receiver computed it, check how it compares it\.$/,
    ({ mistake }) => mistake.matches !== undefined || mistake.reason === 'encoding_changed',
  ],
  [/^It says "the order does not exist"\.$/, ({ mistake }) => mistake.afterwards !== undefined],
  [/^The receiver ma(?:de|kes) one mistake: .*\.$/, ({ mistake }) => mistake.reason !== null],
  [
    /^It accepts the delivery now\. If you haven't changed it since then, it fails only sometimes: /,
    ({ history }) => history === 'corrected since',
  ],
  [/^It accepts the signature, and fails after that\.$/, ({ mistake }) => mistake.afterwards !== undefined],
  [
    /^Its clock is (?:9m\d\ds|10m|10m[12]s) behind the clock of the emulator, according to its Date header\. The tolerance is 5m\.$/,
    ({ mistake }) => mistake.clockSkewMs !== undefined,
  ],
  // The evidence.
  [
    /^The response contains the digest that this mistake produces: \S+$/,
    ({ mistake }) => mistake.reason !== null,
  ],
  [
    /^The response contains the digest v1=[\da-f]{64}, which no known mistake produces\.$/,
    ({ mistake }) => mistake.reason === null && mistake.isSecretWrong === true,
  ],
  [
    /^A probe of del_\w+ found it: the verification rejected the correct signature, and accepted one with this mistake\.$/,
    ({ mistake }) => mistake.reason !== null,
  ],
  [
    /^The probe sent the correct signature, a random one, and those of \d+ known mistakes\.$/,
    ({ mistake }) => mistake.reason === null,
  ],
  [
    /^Both times, a random signature got a different response, so the correct one was accepted\.$/,
    ({ mistake }) => mistake.afterwards !== undefined,
  ],
  // What to do.
  [
    /^Probe the receiver to find out what it rejects\. Look for an authentication middleware or a list of allowed IP addresses in front of it\. If it verifies signatures, check that it uses the current endpoint secret \((\S+)\)\.$/,
    ({ story }, [secret]) => secret === maskSecret(story.secrets.current),
  ],
  [
    /^(?:Use the current secret of the endpoint(?: \(whsec_…\), not the API key)?|Set the variable from which your code reads the secret), and restart the receiver\.$/,
    ({ mistake }) => mistake.isSecretWrong === true,
  ],
  [
    /^Trim the secret when your code reads it, and correct it where it is set: a \.env file with quotes, a file that echo wrote, or a pasted value\.$/,
    ({ mistake, story }) => mistake.secret?.(story.secrets) === `"${story.secrets.current}"`,
  ],
  [
    /^(?:Check that the receiver uses|Log the request in the first line of your handler\. If it is not reached, look for an authentication middleware, a validation, or a list of allowed addresses or hosts\. If it is, compare the secret with|Compare the secret of the receiver with) the current endpoint secret \((\S+?)\)(?:\.|, the body with the one sent, and the digest with the header\.)(?: If it does, probe it to find the mistake\.| If they are the same, log each error that the handler catches, and the digest that it computes, and check the digest\.)?$/,
    ({ story }, [secret]) => secret === maskSecret(story.secrets.current),
  ],
  [/^Replay the delivery$/, ({ history }) => history === 'corrected since'],
  [
    /^Read the response and the log of the receiver to find out /,
    ({ mistake }) => mistake.afterwards !== undefined,
  ],
  [/^Split Service-Signature at ","/, ({ signing }) => signing.length === 2],
  [
    /^Compare the timestamp \S+ with the current time in the same unit and time zone\.$/,
    ({ mistake }) => mistake.readTimestamp !== undefined,
  ],
  [/^Synchronize the clock of the receiver /, ({ mistake }) => mistake.clockSkewMs !== undefined],
  [
    /^Read the timestamp in Service-Timestamp as ISO 8601 in UTC, and compare it with the current time in the same unit\.$/,
    isMistake('timestamp_unreadable'),
  ],
  [/^Use the value of the timestamp header as it arrived\. /, isMistake('timestamp_changed')],
  [/^Compute the HMAC over \{timestamp\}\.\{body\}, /, isMistake('content_changed')],
  [/^Compute the HMAC with sha256\.$/, isMistake('algorithm_changed')],
  [/^Use the text of the whole secret as the key\.$/, isMistake('key_changed')],
  [/^Use all bytes of the request body as they arrived\./, ({ mistake }) => mistake.payload !== undefined],
  [/^Write the signature as v1= followed by the digest in lowercase hex\.$/, isMistake('encoding_changed')],
];

/** Whether the receiver returns the digest that it computes. */
function isReporting({ mistake }: Truth): boolean {
  return mistake.afterwards === undefined && mistake.readTimestamp === undefined;
}

function isMistake(reason: string) {
  return ({ mistake }: Truth) => mistake.reason === reason;
}

function checkClaims(explanation: Explanation, truth: Truth): void {
  const { cause, certainty, detail, evidence, mistake, hints } = explanation;
  const commands = hints.flatMap(({ command }) => (command === undefined ? [] : [command]));
  const [, rest = ''] = new RegExp(`^Your receiver returned ${truth.status}\\. ?(.*)$`, 's').exec(detail) ?? [
    '',
    `not the status: ${detail}`,
  ];
  const texts = [
    rest,
    ...evidence,
    ...hints.slice(0, 1).map(({ text }) => text),
    ...(mistake ? [mistake.detail] : []),
  ];
  const falseTexts = texts.filter((text) => {
    const matching = claims.flatMap(([pattern, isTrue]) => {
      const match = pattern.exec(text);
      return match === null ? [] : [isTrue(truth, match.slice(1))];
    });
    return matching.length === 0 || matching.includes(false);
  });
  expect(falseTexts, `${truth.history} ${cause}: ${detail}`).toEqual([]);
  if (mistake !== null) expect(mistake.reason).toBe(truth.mistake.reason);
  if (mistake !== null) expect(certainty).toBe('certain');
  expect(commands.length).toBeLessThanOrEqual(3);
  expect(commands.at(-1)).toBe(`svc deliveries replay ${explanation.delivery.id} --wait`);
  // A probe tries the mistakes with which the digest was compared.
  if (evidence.some((text) => text.includes('no known mistake produces'))) {
    expect(commands).not.toContainEqual(expect.stringContaining('--probe'));
  }
  checkLayout(explanation);
}

function checkLayout(explanation: Explanation): void {
  const lines = renderExplanation(explanation, false, {
    ...{ width: 80, color: false, unicode: true },
  }).split('\n');
  expect(lines.length, lines.join('\n')).toBeLessThanOrEqual(14);
  expect(lines.filter((line) => widthOf(line) > 80)).toEqual([]);
  expect(lines[0]).toMatch(/^(?:Layer|Cause) {5}/);
}

/**
 * @returns the verdicts of `svc explain` on a receiver that says nothing, with `--probe`, and on one that reports its digest; `?`
 *   means likely
 */
async function playStory(mistake: Mistake, history: History): Promise<string> {
  await using story = await Story.start();
  const { control } = emulator;
  const { after }: { after?: (story: Story) => Promise<void> } = await playHistory[history](story);
  const { signing, secrets } = story;
  story.respond(verifyWith(mistake, secrets, false));
  const silentId = await story.send(mistake.payload);
  story.respond(verifyWith(mistake, secrets, true));
  const reportingId = await story.send(mistake.payload);
  await after?.(story);
  const truth = {
    ...{ story, mistake, history, signing },
    status: mistake.afterwards ?? 400,
  };
  const check = (explanation: Explanation) => {
    checkClaims(explanation, truth);
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
  'every line of the explanations of a receiver with this mistake is true, whatever happened before: %s',
  async (_, mistake) => {
    const verdicts: Record<string, string> = {};
    for (const history of mistake.histories ?? histories) {
      verdicts[history] = await playStory(mistake, history);
    }
    expect(verdicts).toMatchSnapshot();
  },
);
