import { createHmac } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { type ProbeOptions, probeSignature } from '../../../src/emulator/deliveries/probe-signature.ts';
import type { Sender, SendRequest } from '../../../src/emulator/deliveries/sender.ts';
import * as timers from '../../../src/platform/timers.ts';
import type { SignatureScheme } from '../../../src/signature/scheme.ts';
import { replaceExports } from '../../support/replace-exports.ts';
import { failedResult, startDispatcher } from './dispatcher-setup.ts';

const time = { now: 0 };
beforeEach(() => {
  time.now = 0;
  replaceExports(timers, { monotonic: () => time.now });
});

interface Received {
  readonly headers: SendRequest['headers'];
  readonly signature: string;
  readonly timestamp: string;
  readonly id: string;
  readonly body: string;
  /** Number of the request, from 0. */
  readonly index: number;
}

/** A status, with or without a body; null for no response. */
type Response = number | readonly [status: number, body: string] | null;

const NOW = Date.parse('2026-11-20T00:00:00Z');
const API_KEY = 'svc_test_00000000000000000000000000000000';
const SECRET = 'whsec_Y3VycmVudA';
const PREVIOUS_SECRET = 'whsec_cHJldmlvdXM';

const hex = (content: string, secret = SECRET) => createHmac('sha256', secret).update(content).digest('hex');
const isCorrect = ({ signature, timestamp, body }: Received) =>
  signature.split(',').includes(`v1=${hex(`${timestamp}.${body}`)}`);

/** The current time in seconds minus a time in milliseconds. */
const getMixedAge = ({ timestamp }: Received) => NOW / 1000 - Date.parse(timestamp);

/** Probes a receiver that rejected a delivery. It gets the requests that the probe sends. */
async function probe(
  respond: (request: Received) => Response,
  options: Partial<ProbeOptions> & {
    readonly scheme?: Partial<SignatureScheme>;
    readonly previousSecret?: string;
    body?: string;
  } = {},
) {
  const { scheme, previousSecret: previous_secret = null, body: sentBody, ...probeOptions } = options;
  const { sandbox, store, endpoint, trigger, attempt, get } = startDispatcher();
  const webhook = store.webhooks.getBySeq(store.webhooks.findSeq(endpoint().id) ?? 0);
  const secrets = { secret: SECRET, previous_secret, previous_secret_expires_at: 2 ** 50 };
  store.writeNow(() => store.webhooks.update({ ...webhook, ...secrets }));
  const [id = ''] = await trigger();
  await (await attempt(1)).respond(failedResult);
  if (sentBody !== undefined) store.deliveryQueries.getBody = () => sentBody;
  const received: Received[] = [];
  const send = async (request: SendRequest) => {
    const { 'Service-Signature': signature = '', 'Service-Timestamp': timestamp = '' } = request.headers;
    const index = received.length;
    const { headers } = request;
    const sent = { headers, signature, timestamp, id: headers['Service-Delivery-Id'] ?? '', index };
    received.push({ ...sent, body: String(request.body) });
    const response = respond(received.at(-1) as Received);
    const [status, body] = Array.isArray(response) ? response : [response, ''];
    return {
      outcome: status === null ? 'timeout' : status < 300 ? 'succeeded' : 'http_error',
      responseStatus: status,
      response: status === null ? null : { headers: {}, body: Buffer.from(body), truncated: false },
    };
  };
  const result = await probeSignature(
    { ...sandbox, rules: { ...sandbox.rules, signature: { ...sandbox.rules.signature, ...scheme } } },
    { send } as unknown as Sender,
    get(id),
    { apiKey: API_KEY, ...probeOptions },
  );
  return { result, received, row: get(id), body: store.deliveryQueries.getBody(get(id).seq) };
}

describe('probeSignature', () => {
  it('a receiver that accepts the delivery now gets it once, signed as every attempt is', async () => {
    const { result, received, row, body } = await probe((request) => (isCorrect(request) ? 200 : 401));
    expect(result).toEqual({ result: 'accepted', tried: 0 });
    expect(received).toMatchObject([{ id: row.id, body }]);
  });

  it.each([
    ['current', SECRET],
    ['previous', PREVIOUS_SECRET],
  ])(
    'a receiver that compares the whole header with the signature of the %s secret is recognized during a rotation',
    async (name, secret) => {
      const { result } = await probe(
        ({ signature, timestamp, body }) =>
          signature === `v1=${hex(`${timestamp}.${body}`, secret)}` ? 200 : 401,
        { previousSecret: PREVIOUS_SECRET },
      );
      expect(result).toMatchObject({
        reason: 'header_not_split',
        detail: `The receiver makes one mistake: Service-Signature was expected with only one signature, that of the ${name} secret.`,
      });
    },
  );

  it.each<[string, string, (request: Received) => boolean]>([
    [
      'mixes the units of the age',
      'the age of the timestamp mixes seconds and milliseconds',
      (request) => Math.abs(getMixedAge(request)) <= 300 && isCorrect(request),
    ],
    [
      'mixes the units of the age, with a limit in milliseconds',
      'the age of the timestamp mixes seconds and milliseconds',
      (request) => Math.abs(getMixedAge(request)) <= 300_000 && isCorrect(request),
    ],
    [
      'mixes the units of the age, so that NaN passes',
      'the age of the timestamp mixes seconds and milliseconds',
      (request) => !(Math.abs(getMixedAge(request)) > 300) && isCorrect(request),
    ],
    [
      'signs with Sum of Go',
      'Sum(content) of Go appends the digest to the content',
      ({ signature, timestamp, body }) =>
        signature === `v1=${Buffer.from(`${timestamp}.${body}`).toString('hex')}${hex('')}`,
    ],
    [
      'writes bytes below 16 with one digit',
      'the digest was written in hex with one digit for bytes below 16',
      ({ signature, timestamp, body }) =>
        signature === `v1=${hex(`${timestamp}.${body}`).replace(/(..)/g, (byte) => byte.replace(/^0/, ''))}`,
    ],
    [
      'signs a body that Python has serialized again, without the timestamp',
      'as json.dumps of Python does',
      ({ signature, body }) =>
        signature === `v1=${hex(body.replaceAll('":', '": ').replaceAll(',"', ', "'))}`,
    ],
  ])('the mistake of a receiver that %s is found', async (_, detail, accepts) => {
    const { result } = await probe((request) => (accepts(request) ? 200 : 401));
    expect(result).toMatchObject({ detail: expect.stringContaining(detail) });
  });

  it('a receiver that fails after it has verified an empty body is recognized by the status, which repeats', async () => {
    const { result } = await probe(({ signature, timestamp }) =>
      signature === `v1=${hex(`${timestamp}.`)}` ? 500 : 401,
    );
    expect(result).toMatchObject({ reason: 'body_changed', detail: expect.stringContaining('empty') });
  });

  it.each<[string, string, (request: Received) => Response]>([
    ['a digest in another form', '500', ({ signature }) => (signature.startsWith('v1=') ? 401 : 500)],
    [
      'a timestamp that it reads as an old one',
      '401 "too old"',
      ({ timestamp }) => [401, Date.parse(timestamp) > Date.UTC(2026) ? 'bad' : 'too old'],
    ],
  ])(
    'another response to %s shows that the receiver reads it, although no mistake is found',
    async (_, other, respond) => {
      const { result } = await probe(respond);
      expect(result).toMatchObject({ result: 'varies', other });
    },
  );

  it.each<[string, (request: Received) => Response]>([
    ['repeats the headers', ({ headers }) => [401, Object.values(headers).join()]],
    ['limits the size of headers', ({ headers }) => (JSON.stringify(headers).length > 300 ? 431 : 401)],
    ['fails once', ({ index }) => (index === 7 ? 500 : 401)],
  ])(
    'a receiver that %s, and reads neither the signature nor the timestamp, responds the same',
    async (_, respond) => {
      const { result } = await probe(respond);
      expect(result).toMatchObject({ result: 'constant' });
    },
  );

  it('a receiver that accepts text that is not a time, and expects a time in another zone, is named by the zone', async () => {
    const { result } = await probe((request) => {
      const distance = Date.parse(request.timestamp) - 2 * 3_600_000 - NOW;
      // The comparison with NaN is false.
      return Math.abs(distance) > 300_000 || !isCorrect(request) ? 401 : 200;
    });
    expect(result).toMatchObject({
      reason: 'timestamp_misread',
      detail: expect.stringContaining('was read as a time in UTC+02:00'),
    });
  });

  it('a receiver that reads the signature from service_signature is recognized', async () => {
    const { result } = await probe(({ headers: { service_signature: signature = '' }, ...request }) =>
      isCorrect({ headers: {}, ...request, signature }) ? 204 : 401,
    );
    expect(result).toMatchObject({
      reason: 'header_missing',
      detail:
        'The receiver makes one mistake: the signature was read from service_signature instead of Service-Signature.',
      remedy: expect.stringMatching(/^Read the signature from the header Service-Signature, in any case /),
    });
  });

  it('a receiver that rejects everything gets each signature once, and never a correct one', async () => {
    const { result, received, body } = await probe(() => 401);
    // At the beginning the correct signature and a random one, at the end the correct one at eight times, and the first one again.
    expect(result).toEqual({ result: 'constant', tried: received.length - 2 - 9 });
    const [correct, ...others] = received.slice(0, -9);
    expect(received.slice(-9).every(isCorrect)).toBe(true);
    expect(correct && isCorrect(correct)).toBe(true);
    const sent = new Set(others.map(({ signature, timestamp }) => `${signature} ${timestamp}`));
    // Eleven have the signature in another header, too, and six that of another scheme.
    expect(sent.size).toBe(others.length - 16);
    expect(
      others.filter((request) => isCorrect(request) && request.timestamp === correct?.timestamp),
    ).toHaveLength(17);
    expect(others.every((request) => request.body === body)).toBe(true);
  });

  it.each<[string, Partial<SignatureScheme>, number]>([
    ['no timestamp header', { headers: { signature: 'Service-Signature', timestamp: null, id: null } }, 0],
    ['a timestamp in seconds', { timestampFormat: 'unix' }, 46],
    ['a timestamp in milliseconds', { timestampFormat: 'unix_ms' }, 46],
  ])('a scheme with %s has its own forms of the timestamp', async (_, scheme, count) => {
    const { received } = await probe(() => 401, { scheme });
    const { timestamp } = received[0] as Received;
    expect(received.filter((request) => request.timestamp !== timestamp)).toHaveLength(count);
  });

  it('a scheme in base64 without a prefix is tried in hex, and not in forms that it has itself', async () => {
    const header = { prefix: '', separator: ',', timestampField: null };
    const { received } = await probe(() => 401, { scheme: { encoding: 'base64', header } });
    const [correct = '', ...others] = received.map(({ signature }) => signature);
    const inHex = Buffer.from(correct, 'base64').toString('hex');
    expect(others.filter((signature) => signature === inHex)).toHaveLength(1);
    expect(others).not.toContain(correct.toUpperCase());
  });

  it.each<[string, object, (request: Received) => Response]>([
    [
      'accepts only wrong signatures',
      { result: 'random_accepted' },
      (request) => (isCorrect(request) ? 401 : 200),
    ],
    [
      'compares milliseconds with seconds, so only NaN passes',
      { result: 'unreadable_accepted' },
      (request) => (NOW - Date.parse(request.timestamp) / 1000 > 300 || !isCorrect(request) ? 403 : 204),
    ],
    ['fails after the verification', { result: 'differs' }, (request) => (isCorrect(request) ? 500 : 401)],
    [
      'responds with another text after the verification',
      { result: 'differs' },
      (request) => (isCorrect(request) ? [401, 'order is unknown'] : [401, 'signature is wrong']),
    ],
    [
      'responds differently to the second random signature',
      { result: 'inconsistent' },
      ({ index }) => [500, 401, 500, 500][index] ?? 500,
    ],
    [
      'responds differently to the second correct signature',
      { result: 'inconsistent' },
      ({ index }) => [500, 401, 401, 401][index] ?? 401,
    ],
    [
      'accepts a wrong signature and then the correct one',
      { result: 'inconsistent' },
      ({ index }) => (index < 2 ? 401 : 200),
    ],
    ['stops responding', { result: 'no_response', tried: 2 }, ({ index }) => (index < 3 ? 401 : null)],
    ['limits the rate', { result: 'rate_limit', tried: 2 }, ({ index }) => (index < 3 ? 401 : 429)],
    ['never responds', { result: 'no_response', tried: 1 }, () => null],
    [
      'takes a minute for four requests',
      { result: 'time_limit', tried: 4 },
      ({ index }) => {
        time.now = index < 4 ? index * 20_000 : 60_001 + 20_000;
        return 401;
      },
    ],
  ])('a receiver that %s has the result %j', async (_, expected, respond) => {
    expect((await probe(respond)).result).toMatchObject(expected);
  });

  it('a receiver that strips the first digit of some digests is recognized by the digests that it rejects', async () => {
    let start = '';
    const { result } = await probe((request) => {
      start ||= request.signature.slice(0, 4);
      return isCorrect(request) && !request.signature.startsWith(start) ? 200 : 403;
    });
    expect(result).toMatchObject({ result: 'digests', start: start.slice(-1) });
  });

  it('responses that differ only in IDs, digests and times are the same response', async () => {
    const { result } = await probe(({ index }) => [
      401,
      `req_${index}: no match at 2026-11-20T00:00:0${index % 10}Z`,
    ]);
    expect(result).toMatchObject({ result: 'constant' });
  });

  it('a probe of a large body tries 40 mistakes', async () => {
    const { result, received } = await probe(() => 401, { body: JSON.stringify({ a: 'x'.repeat(70_000) }) });
    expect(result).toEqual({ result: 'large_body', tried: 40 });
    expect(received).toHaveLength(42);
  });

  it('a canceled probe sends no further request', async () => {
    const controller = new AbortController();
    let count = 0;
    const probed = probe(
      ({ index }) => {
        count++;
        if (index === 4) controller.abort(new Error('canceled'));
        return 401;
      },
      { signal: controller.signal },
    );
    await expect(probed).rejects.toThrow('canceled');
    expect(count).toBe(5);
  });
});
