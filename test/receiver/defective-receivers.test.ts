/** Receivers that are wrong in one way each: the check names that way, and no other. */
import { setTimeout as pause } from 'node:timers/promises';
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

const reprint = (body: Buffer) => JSON.stringify(JSON.parse(body.toString()));

const knownMembers = ['order_id', 'street'];
const sort = (_: string, value: unknown) =>
  value instanceof Object && !Array.isArray(value) ? Object.fromEntries(Object.entries(value).sort()) : value;
let isBusy = false;

const faults: readonly (readonly [
  name: string,
  changes: Partial<ReceiverParts>,
  failed: readonly string[],
])[] = [
  [
    'parses before it verifies',
    { toSigned: reprint },
    ['raw-body.white-space', 'raw-body.unicode-escape', 'raw-body.big-number', 'raw-body.re-spaced'],
  ],
  [
    'sorts the members before it verifies',
    { toSigned: (body) => JSON.stringify(JSON.parse(body.toString()), sort) },
    [
      'raw-body.member-order',
      'raw-body.white-space',
      'raw-body.unicode-escape',
      'raw-body.big-number',
      'raw-body.re-spaced',
    ],
  ],
  [
    'looks at the form of the signature alone',
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
    'verifies an empty body as well',
    {
      isAuthentic: (signed, headers, parts) =>
        correctParts.isAuthentic(signed, headers, parts) || correctParts.isAuthentic('', headers, parts),
    },
    ['signature.empty-body'],
  ],
  [
    'looks for the signature anywhere',
    { matches: (signature, expected) => signature.includes(expected.slice('v1='.length)) },
    ['signature.prefixed'],
  ],
  [
    'expects one signature',
    {
      isAuthentic: (signed, headers, parts) =>
        !headers['service-signature']?.includes(',') && correctParts.isAuthentic(signed, headers, parts),
    },
    ['signature.rotated-first', 'signature.rotated-last'],
  ],
  [
    'passes over a missing timestamp',
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
  ['takes the API key as well', { keys: [SECRET, API_KEY] }, ['signature.api-key']],
  ['processes before it verifies', { processesFirst: true }, ['rejection.no-effect']],
  ['answers 500 to a bad signature', { refusal: 500 }, ['rejection.status']],
  ['answers after the work', { answersLast: true, workMs: 600 }, ['acceptance.before-work']],
  [
    'does not deduplicate',
    { keep: () => true },
    ['deduplication.same-delivery', 'deduplication.other-delivery', 'deduplication.at-once'],
  ],
  [
    'deduplicates on the delivery id',
    { keyOf: (_, headers) => String(headers['service-delivery-id']) },
    ['deduplication.other-delivery'],
  ],
  [
    'loses a race between repeats',
    {
      async keep(key, seen) {
        const isNew = !seen.has(key);
        await pause(50);
        seen.add(key);
        return isNew;
      },
    },
    ['deduplication.at-once'],
  ],
  ['refuses repeats', { repeat: 409 }, ['deduplication.same-delivery', 'deduplication.other-delivery']],
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
    'crashes on an unknown member',
    {
      parse(body) {
        const event = JSON.parse(body);
        const members = Object.keys(event.data.payload);
        if (members.some((name) => !knownMembers.includes(name))) throw new TypeError('unknown member');
        return event;
      },
    },
    ['robustness.unknown-member'],
  ],
  [
    'reads no large body',
    {
      toSigned(body) {
        if (body.length > 100_000) throw new RangeError('too large');
        return body;
      },
    },
    ['robustness.large-body'],
  ],
  [
    'breaks on a delivery that comes during another',
    {
      async keep(key, seen) {
        if (isBusy) throw new Error('busy');
        isBusy = true;
        await pause(50);
        isBusy = false;
        return correctParts.keep(key, seen);
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

// Most of the time is waiting for effects.
describe('the check of a receiver', { concurrent: true, timeout: 90_000 }, () => {
  it('passes one that is right [§6.1, §6.2, §6.3, §6.4, §6.5, §6.6]', async () => {
    await using receiver = await startDefectiveReceiver();
    const report = await checkReceiver(receiver);
    expect(report.checks.filter(({ status }) => status !== 'passed')).toEqual([]);
    expect(report.ok).toBe(true);
  });

  it('has a receiver here for each of its checks', () => {
    const failed = new Set(faults.flatMap(([, , ids]) => ids));
    const ids = listChecks(schemes.svc, API_KEY).map(({ id }) => id);
    expect(ids.filter((id) => !failed.has(id))).toEqual([]);
  });

  it.each(faults)('of one that %s names that alone', async (_, changes, failed) => {
    await using receiver = await startDefectiveReceiver(changes);
    const report = await checkReceiver(receiver);
    expect(idsOf(report, 'failed')).toEqual(failed);
    expect(report.ok).toBe(false);
  });
});
