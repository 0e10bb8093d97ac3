/**
 * What a probe says about receivers, over real HTTP, whose response depends on more than the signature: on digits of the digest, on
 * the time, on earlier requests or on an error. The same seeds give the same secrets, IDs and digests.
 */
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestEmulator, type TestEmulator } from '../../support/test-emulator.ts';
import { createReceiver } from '../../support/test-receiver.ts';
import { createTestWallClock, type TestWallClock } from '../../support/test-wall-clock.ts';

interface Received {
  readonly timestamp: string;
  readonly body: string;
  readonly signature: string;
  readonly id: string;
  /** Milliseconds since 1970, which pass with each request. */
  readonly now: number;
  /** Number of the request, from 0. */
  readonly index: number;
}

/** Whether the receiver accepts the request; another status than 401 for a rejection. */
type Receives = (received: Received, secret: string) => boolean | number;

const START = Date.UTC(2026, 10, 20, 5, 19, 39, 400);
const hmac = (secret: string, ...parts: (string | Uint8Array)[]) => {
  const computed = createHmac('sha256', secret);
  for (const part of parts) computed.update(part);
  return computed.digest('hex');
};
const digestOf = ({ timestamp, body }: Received, secret: string) => hmac(secret, `${timestamp}.`, body);
const isCorrect: Receives = (received, secret) => received.signature === `v1=${digestOf(received, secret)}`;
const MINUTE_MS = 60_000;

let emulator: TestEmulator;
let wall: TestWallClock;
beforeAll(async () => {
  wall = createTestWallClock(START);
  emulator = await startTestEmulator({ wall, randomSeed: 1 });
});
afterAll(() => emulator.close());

/** Sends deliveries until the receiver rejects one, and probes it. Null if it accepts all of them. */
async function probe(receives: Receives, msPerRequest = 0) {
  const { control } = emulator;
  let secret = '';
  let index = 0;
  await using receiver = await createReceiver(({ headers, body }) => {
    const received = {
      ...{ timestamp: String(headers['service-timestamp']), body: String(body), index: index++ },
      signature: String(headers['service-signature']),
      ...{ id: String(headers['service-delivery-id']), now: wall.now() },
    };
    wall.advance(msPerRequest);
    const result = receives(received, secret);
    const status = result === true ? 204 : result === false ? 401 : result;
    return { status, headers: { date: new Date(wall.now()).toUTCString() } };
  });
  const webhook = await control.createWebhook({ url: receiver.url, events: ['a.b'] });
  secret = webhook.secret;
  try {
    for (let attempt = 0; attempt < 20; attempt++) {
      const { json } = await emulator.api('POST', '/events', {
        type: 'a.b',
        payload: { total: 12.5, to: 'Zoë' },
      });
      await control.advanceClock({ ms: 0 });
      const [delivery] = (await control.listDeliveries({ event_id: json.id })).data;
      if (delivery?.status !== 'succeeded') return await control.probeDelivery({ id: delivery?.id ?? '' });
    }
    return null;
  } finally {
    await control.deleteWebhook({ id: webhook.id });
  }
}

/** What the probe says for each seed. */
async function probeSeeds(create: () => Receives, msPerRequest = 0, count = 12): Promise<string[]> {
  const said: string[] = [];
  for (let seed = 0; seed < count; seed++) {
    wall.advance(7_321);
    const probed = await probe(create(), msPerRequest);
    if (probed !== null) said.push(probed.mistake?.detail ?? probed.detail);
  }
  return said;
}

/** With a slow machine, the time limit ends the probe. */
const UNKNOWN = 'The response does not say what was rejected';
const SOME = 'It responds differently to requests that are signed in the same way';
const NOW = 'It accepts the delivery now';
const TOO_SHORT = 'its time limit is too short, or its clock is ahead';

/** Java prints negative numbers for digests from 8 on. */
const signedHex: Receives = (received, secret) =>
  received.signature === `v1=${BigInt.asIntN(256, BigInt(`0x${digestOf(received, secret)}`)).toString(16)}`;
const unpaddedHex: Receives = (received, secret) =>
  received.signature ===
  `v1=${Array.from(Buffer.from(digestOf(received, secret), 'hex'), (byte) => byte.toString(16)).join('')}`;

const receivers: Readonly<Record<string, readonly [says: RegExp, create: () => Receives, ms?: number]>> = {
  'writes the digest as a signed number': [new RegExp(`signed number|${NOW}`), () => signedHex],
  'writes bytes below 16 with one digit': [
    new RegExp(`one digit for bytes below 16|${NOW}`),
    () => unpaddedHex,
  ],
  'accepts only digests with an even first digit': [
    new RegExp(SOME),
    () => (received, secret) => isCorrect(received, secret) && /^v1=[02468ace]/.test(received.signature),
  ],
  'rejects digests that begin with 1, as ltrim($signature, "v1=") of PHP does': [
    new RegExp(SOME),
    () => (received, secret) => isCorrect(received, secret) && !received.signature.startsWith('v1=1'),
  ],
  'has a time limit of 300 ms, and accepts the future': [
    new RegExp(`${SOME}|${NOW}|${TOO_SHORT}`),
    () => (received, secret) =>
      received.now - Date.parse(received.timestamp) <= 300 && isCorrect(received, secret),
    3,
  ],
  'has a clock that is five and a half minutes ahead': [
    new RegExp(TOO_SHORT),
    () => (received, secret) =>
      Math.abs(received.now + 5.5 * MINUTE_MS - Date.parse(received.timestamp)) <= 5 * MINUTE_MS &&
      isCorrect(received, secret),
  ],
  'reads the timestamp three hours early, and accepts the future': [
    /read as a time in UTC\+03:00/,
    () => (received, secret) =>
      received.now - (Date.parse(received.timestamp) - 180 * MINUTE_MS) <= 5 * MINUTE_MS &&
      isCorrect(received, secret),
  ],
  'accepts every second correct signature': [
    new RegExp(`${SOME}|${NOW}`),
    () => {
      let count = 0;
      return (received, secret) => isCorrect(received, secret) && count++ % 2 === 1;
    },
  ],
  'uses one HMAC object for all requests': [
    new RegExp(`Each signature gets the same response|${UNKNOWN}`),
    () => {
      let count = 0;
      return (received, secret) => isCorrect(received, secret) && count++ === 0;
    },
  ],
  'accepts each signature once': [
    new RegExp(`${SOME}|${NOW}`),
    () => {
      const seen = new Set<string>();
      let count = 0;
      return (received, secret) => {
        const isNew = seen.size < seen.add(received.signature).size;
        return isCorrect(received, secret) && isNew && count++ > 0;
      };
    },
  ],
  'has another secret, and returns 200 when the comparison throws': [
    new RegExp(`accepts a random one|${UNKNOWN}`),
    () => (received) => received.signature.replace('v1=', '').length !== 64,
  ],
  'locks the sender out after 15 failures': [
    new RegExp(SOME),
    () => {
      let failures = 0;
      return () => (++failures > 15 ? 403 : false);
    },
  ],
  'limits failed attempts without another response': [
    new RegExp(`Each signature gets the same response|${UNKNOWN}`),
    () => () => false,
  ],
  'accepts each second request on average, whatever its signature': [
    /^(?!The receiver makes)/,
    () => (received) => /^[0-7]/.test(hmac('seed', received.id, String(received.index))),
  ],
};

/** Receivers for which all mistakes are tried take long. */
const seedsOf = (says: RegExp) => (says.source.includes(UNKNOWN) ? 1 : 6);

it.each(Object.entries(receivers))(
  'a probe of a receiver that %s says only what is true',
  async (_, [says, create, msPerRequest]) => {
    const count = seedsOf(says);
    const said = await probeSeeds(create, msPerRequest, count);
    expect(said.filter((text) => !says.test(text))).toEqual([]);
    // Some receivers accept the first deliveries.
    expect(said.length).toBeGreaterThan(count / 3);
  },
);
