/** Receivers with one defect each: the failed checks name that defect and no other. */
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

const serializeAgain = (body: Buffer) => JSON.stringify(JSON.parse(body.toString()));

const knownFields = ['order_id', 'street'];
const sort = (_: string, value: unknown) =>
  value instanceof Object && !Array.isArray(value) ? Object.fromEntries(Object.entries(value).sort()) : value;
let isBusy = false;

const defects: readonly (readonly [
  name: string,
  changes: Partial<ReceiverParts>,
  failed: readonly string[],
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
      'raw-body.member-order',
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
        /^v1=[0-9a-f]{64}(,v1=[0-9a-f]{64})?$/.test(String(headers['service-signature'])) &&
        isRecent(String(headers['service-timestamp'])),
    },
    [
      'signature.other-secret',
      'signature.altered-body',
      'signature.empty-body',
      'signature.api-key',
      'timestamp.replaced',
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
    ['signature.prefixed'],
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
    { isRecent: (timestamp) => Date.now() - Date.parse(timestamp) <= 180_000 },
    ['timestamp.recent'],
  ],
  ['ignores the timestamp', { isRecent: () => true }, ['timestamp.old']],
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
  ['responds with 500 to a bad signature', { rejectionStatus: 500 }, ['rejection.status']],
  ['responds after the work', { respondsAfterWork: true, workMs: 600 }, ['acceptance.before-work']],
  [
    'does not deduplicate',
    { storeKey: () => true },
    ['deduplication.same-delivery', 'deduplication.other-delivery', 'deduplication.at-once'],
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
  ['refuses repeats', { repeatStatus: 409 }, ['deduplication.same-delivery', 'deduplication.other-delivery']],
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
    ['robustness.unknown-member'],
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

// Most of the time is spent waiting for effects.
describe('svc receiver check', { concurrent: true, timeout: 90_000 }, () => {
  it('the checks pass a correct receiver [§6.1, §6.2, §6.3, §6.4, §6.5, §6.6]', async () => {
    await using receiver = await startDefectiveReceiver();
    const report = await checkReceiver(receiver);
    expect(report.checks.filter(({ status }) => status !== 'passed')).toEqual([]);
    expect(report.ok).toBe(true);
  });

  it('every check fails for at least one of the defective receivers', () => {
    const failed = new Set(defects.flatMap(([, , ids]) => ids));
    const ids = listChecks(schemes.svc, API_KEY).map(({ id }) => id);
    expect(ids.filter((id) => !failed.has(id))).toEqual([]);
  });

  it.each(defects)(
    'the checks that fail for a receiver that %s name only that defect',
    async (_, changes, failed) => {
      await using receiver = await startDefectiveReceiver(changes);
      const report = await checkReceiver(receiver);
      expect(idsOf(report, 'failed')).toEqual(failed);
      expect(report.ok).toBe(false);
    },
  );
});
