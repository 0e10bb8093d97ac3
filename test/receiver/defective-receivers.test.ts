/** Receivers with one defect each: the failed checks name that defect and no other. */
import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { schemes } from '../../src/domain/signature/schemes.ts';
import { listChecks } from '../../src/receiver/run-checks.ts';
import { checkReceiver, idsOf } from './check-receiver.ts';
import {
  API_KEY,
  correctParts,
  type ReceiverParts,
  SECRET,
  startDefectiveReceiver,
} from './defective-receiver.ts';

const digestOf = (signature: string) => signature.slice('v1='.length);

/** Remembers a key for some time. */
function createExpiringStore(expiryMs: number): ReceiverParts['storeKey'] {
  const storedAt = new Map<string, number>();
  return (key) => {
    const isNew = performance.now() - (storedAt.get(key) ?? Number.NEGATIVE_INFINITY) > expiryMs;
    if (isNew) storedAt.set(key, performance.now());
    return isNew;
  };
}

/** Finds a key in the queue, and after the work in the table of processed events, but not during the work. */
function createQueue({ waitMs, workMs }: { waitMs: number; workMs: number }): ReceiverParts['storeKey'] {
  return (key, keys) => {
    const isNew = !keys.has(key);
    if (isNew) {
      keys.add(key);
      setTimeout(() => keys.delete(key), waitMs);
      setTimeout(() => keys.add(key), waitMs + workMs);
    }
    return isNew;
  };
}

const serializeAgain = (body: Buffer) => JSON.stringify(JSON.parse(body.toString()));

const knownFields = ['order_id', 'street'];
const sort = (_: string, value: unknown) =>
  value instanceof Object && !Array.isArray(value) ? Object.fromEntries(Object.entries(value).sort()) : value;
let isBusy = false;

const defects: readonly (readonly [
  name: string,
  changes: Partial<ReceiverParts>,
  failed: readonly string[],
  timeoutMs?: number,
])[] = [
  [
    'parses before it verifies',
    { toVerified: serializeAgain },
    ['raw-body.white-space', 'raw-body.unicode-escape', 'raw-body.big-number', 'raw-body.re-spaced'],
  ],
  [
    'sorts the fields before it verifies',
    { toVerified: (body) => JSON.stringify(JSON.parse(body.toString()), sort) },
    [
      'raw-body.field-order',
      'raw-body.white-space',
      'raw-body.unicode-escape',
      'raw-body.big-number',
      'raw-body.re-spaced',
    ],
  ],
  [
    'checks only the form of the signature',
    {
      isAuthentic: (_signed, headers, { isRecent }) =>
        /^v1=[0-9a-f]{64}(, ?v1=[0-9a-f]{64})?$/.test(String(headers['service-signature'])) &&
        isRecent(String(headers['service-timestamp'])),
    },
    [
      'signature.other-secret',
      'signature.altered-body',
      'signature.empty-body',
      'signature.doubled',
      'signature.api-key',
      'timestamp.replaced',
      'timestamp.unsigned',
      'raw-body.re-spaced',
    ],
  ],
  [
    'verifies an empty body too',
    {
      isAuthentic: (signed, headers, parts) =>
        correctParts.isAuthentic(signed, headers, parts) || correctParts.isAuthentic('', headers, parts),
    },
    ['signature.empty-body'],
  ],
  [
    'searches for the signature anywhere in the header',
    { matches: (signature, expected) => signature.includes(expected.slice('v1='.length)) },
    ['signature.prefixed', 'signature.suffixed', 'signature.no-version', 'signature.other-version'],
  ],
  [
    'expects a single signature',
    {
      isAuthentic: (signed, headers, parts) =>
        !headers['service-signature']?.includes(',') && correctParts.isAuthentic(signed, headers, parts),
    },
    ['signature.rotated-first', 'signature.rotated-last'],
  ],
  [
    'ignores a missing timestamp',
    {
      isAuthentic: (signed, headers, parts) =>
        headers['service-timestamp'] === undefined || correctParts.isAuthentic(signed, headers, parts),
    },
    ['timestamp.missing'],
  ],
  [
    'rejects after three minutes',
    { isRecent: (timestamp) => Math.abs(Date.now() - Date.parse(timestamp)) <= 180_000 },
    ['timestamp.recent'],
  ],
  [
    'ignores the timestamp',
    { isRecent: () => true },
    ['timestamp.old', 'timestamp.slightly-old', 'timestamp.unreadable', 'timestamp.future'],
  ],
  [
    'counts the age in whole minutes',
    { isRecent: (timestamp) => Math.trunc(Math.abs(Date.now() - Date.parse(timestamp)) / 60_000) <= 5 },
    ['timestamp.slightly-old'],
  ],
  [
    'accepts what is not too old',
    { isRecent: (timestamp) => Date.now() - Date.parse(timestamp) <= 300_000 },
    ['timestamp.future'],
  ],
  [
    'accepts what is not a time',
    { isRecent: (timestamp) => !(Math.abs(Date.now() - Date.parse(timestamp)) > 300_000) },
    ['timestamp.unreadable'],
  ],
  [
    'accepts a signature over the body only',
    {
      isAuthentic: (signed, headers, parts) =>
        correctParts.isAuthentic(signed, headers, parts) ||
        headers['service-signature'] === `v1=${createHmac('sha256', SECRET).update(signed).digest('hex')}`,
    },
    ['timestamp.unsigned'],
  ],
  [
    'takes the age from the last timestamp header and verifies the first one',
    {
      isAuthentic(signed, headers, parts) {
        const [first = '', ...others] = String(headers['service-timestamp']).split(', ');
        return (
          parts.isRecent(others.at(-1) ?? first) &&
          correctParts.isAuthentic(
            signed,
            { ...headers, 'service-timestamp': first },
            { ...parts, isRecent: () => true },
          )
        );
      },
    },
    ['timestamp.doubled'],
  ],
  [
    'accepts any version',
    {
      matches: (signature, expected) => /^v\d=/.test(signature) && digestOf(signature) === digestOf(expected),
    },
    ['signature.other-version'],
  ],
  [
    'accepts no version',
    { matches: (signature, expected) => signature.replace(/^v1=/, '') === digestOf(expected) },
    ['signature.no-version'],
  ],
  [
    'decodes the signature as far as it is hex',
    {
      matches: (signature, expected) =>
        signature.startsWith('v1=') &&
        Buffer.from(digestOf(signature), 'hex').equals(Buffer.from(digestOf(expected), 'hex')),
    },
    ['signature.suffixed'],
  ],
  [
    'normalizes Unicode before it verifies',
    { toVerified: (body) => body.toString().normalize('NFC') },
    ['raw-body.decomposed'],
  ],
  [
    'replaces characters that Latin-1 does not have before it verifies',
    { toVerified: (body) => body.toString().replace(/[^\0-\xff]/g, '?') },
    ['raw-body.non-ascii'],
  ],
  [
    'compares with a prefix',
    { matches: (signature, expected) => expected.startsWith(signature) },
    ['signature.missing', 'signature.empty', 'signature.blank', 'signature.truncated'],
  ],
  [
    'accepts an empty signature',
    {
      isAuthentic: (signed, headers, parts) =>
        headers['service-signature'] === '' || correctParts.isAuthentic(signed, headers, parts),
    },
    ['signature.empty'],
  ],
  ['verifies with the API key', { keys: [API_KEY] }, ['signature.genuine']],
  ['accepts the API key too', { keys: [SECRET, API_KEY] }, ['signature.api-key']],
  ['processes before it verifies', { processesBeforeVerifying: true }, ['rejection.no-effect']],
  ['marks an event before it verifies', { storesKeyBeforeVerifying: true }, ['rejection.same-event']],
  ['responds with 500 to a bad signature', { rejectionStatus: 500 }, ['rejection.status']],
  ['responds after the time limit', { wait: () => sleep(700) }, ['acceptance.in-time'], 600],
  [
    'responds after the work',
    { respondsAfterWork: true, work: () => sleep(600) },
    ['acceptance.before-work'],
  ],
  [
    'does not deduplicate',
    { storeKey: () => true },
    [
      'deduplication.same-delivery',
      'deduplication.other-delivery',
      'deduplication.at-once',
      'deduplication.during-work',
      'deduplication.later',
      'deduplication.after-others',
    ],
  ],
  [
    'deduplicates on the delivery id',
    { getKey: (_, headers) => String(headers['service-delivery-id']) },
    ['deduplication.other-delivery'],
  ],
  [
    'loses a race between repeats',
    {
      async storeKey(key, keys) {
        const isNew = !keys.has(key);
        await sleep(50);
        keys.add(key);
        return isNew;
      },
    },
    ['deduplication.at-once'],
  ],
  [
    'deduplicates on the start of the ID',
    { getKey: ({ data }) => data.id.slice(0, -2) },
    ['deduplication.similar-ids'],
  ],
  [
    'deduplicates on the end of the ID',
    { getKey: ({ data }) => data.id.slice(-20) },
    ['deduplication.similar-ids'],
  ],
  [
    'marks an event only after the work',
    { work: () => sleep(600), storeKey: createQueue({ waitMs: 200, workMs: 400 }) },
    ['deduplication.during-work'],
  ],
  ['forgets an ID after 2.4 seconds', { storeKey: createExpiringStore(2_400) }, ['deduplication.later']],
  [
    'remembers a hundred IDs',
    {
      storeKey(key, keys) {
        const isNew = correctParts.storeKey(key, keys);
        const [oldest = ''] = keys;
        if (keys.size > 100) keys.delete(oldest);
        return isNew;
      },
    },
    ['deduplication.after-others'],
  ],
  [
    'refuses repeats',
    { getRepeatStatus: () => 409 },
    ['deduplication.same-delivery', 'deduplication.other-delivery'],
  ],
  [
    'crashes on big numbers',
    {
      parse(body) {
        if (/\d{16}/.test(body)) throw new RangeError('not a safe integer');
        return JSON.parse(body);
      },
    },
    ['robustness.big-number'],
  ],
  [
    'crashes on an unknown field',
    {
      parse(body) {
        const event = JSON.parse(body);
        const fields = Object.keys(event.data.payload);
        if (fields.some((name) => !knownFields.includes(name))) throw new TypeError('unknown field');
        return event;
      },
    },
    ['robustness.unknown-field'],
  ],
  [
    'cannot read a large body',
    {
      toVerified(body) {
        if (body.length > 100_000) throw new RangeError('too large');
        return body;
      },
    },
    ['robustness.large-body'],
  ],
  [
    'fails on a delivery that arrives during another',
    {
      async storeKey(key, keys) {
        if (isBusy) throw new Error('busy');
        isBusy = true;
        await sleep(50);
        isBusy = false;
        return correctParts.storeKey(key, keys);
      },
    },
    ['robustness.at-once'],
  ],
  [
    'refuses an unknown type',
    { isKnownType: (type) => type === 'order.shipped' },
    ['robustness.unknown-type'],
  ],
];

const CLOCK_DIFFERENCE_MS = 180_000;
const WORKER_INTERVAL_MS = 700;

const correctVariants: readonly (readonly [name: string, changes: Partial<ReceiverParts>])[] = [
  ['works slowly', { work: () => sleep(500) }],
  ['does its work at once', { work: async () => {} }],
  [
    'has a worker that looks for events now and then',
    { work: () => sleep(WORKER_INTERVAL_MS - (performance.now() % WORKER_INTERVAL_MS)) },
  ],
  ['refuses a repeat during the work', { getRepeatStatus: (isWorking) => (isWorking ? 409 : 204) }],
  ...[CLOCK_DIFFERENCE_MS, -CLOCK_DIFFERENCE_MS].map((differenceMs) => {
    const now = () => Date.now() + differenceMs;
    const isRecent = (timestamp: string) => Math.abs(now() - Date.parse(timestamp)) <= 300_000;
    return [`has a clock that is ${differenceMs / 1_000} s ahead`, { now, isRecent }] as const;
  }),
];

// Most of the time is spent waiting for effects.
describe('svc receiver check', { concurrent: true, timeout: 90_000 }, () => {
  it('the checks pass a correct receiver [§6.1, §6.2, §6.3, §6.4, §6.5, §6.6]', async () => {
    await using receiver = await startDefectiveReceiver();
    const report = await checkReceiver(receiver);
    expect(report.checks.filter(({ status }) => status !== 'passed')).toEqual([]);
    expect(report.ok).toBe(true);
  });

  it.each(correctVariants)('the checks pass a correct receiver that %s', async (_, changes) => {
    await using receiver = await startDefectiveReceiver(changes);
    const report = await checkReceiver(receiver);
    expect(report.checks.filter(({ status }) => status !== 'passed')).toEqual([]);
  });

  it('every check fails for at least one of the defective receivers', () => {
    const failed = new Set(defects.flatMap(([, , ids]) => ids));
    const ids = listChecks(schemes.svc, API_KEY).map(({ id }) => id);
    expect(ids.filter((id) => !failed.has(id))).toEqual([]);
  });

  it.each(
    defects.map(([name, changes, failed, timeoutMs = 5_000]) => [name, changes, failed, timeoutMs] as const),
  )(
    'the checks that fail for a receiver that %s name only that defect',
    async (_, changes, failed, timeoutMs) => {
      await using receiver = await startDefectiveReceiver(changes);
      const report = await checkReceiver({ ...receiver, timeoutMs });
      expect(idsOf(report, 'failed')).toEqual(failed);
      expect(report.ok).toBe(false);
    },
  );
});
