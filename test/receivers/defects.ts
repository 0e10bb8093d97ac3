/** Receivers with one defect each, and how `svc receiver check` and `svc receiver fuzz` show it. */
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../src/domain/duration.ts';
import type { AttackName, Variation } from '../../src/domain/variations.ts';
import type { FuzzRule } from '../../src/receivers/play-rules.ts';
import { formatTimestamp } from '../../src/signature/signature-header.ts';
import {
  API_KEY,
  correctParts,
  type ReceiverParts,
  type Receiving,
  SECRET,
  sleep,
  storeKey,
  workInOrder,
} from './configurable-receiver.ts';

export interface Defect {
  /** Completes "a receiver that …". */
  readonly name: string;
  readonly create: () => Partial<ReceiverParts>;
  /** The checks that fail, in their order; null if the tests do not check the receiver. */
  readonly check: readonly string[] | null;
  /** The failure that a fuzz run with the random seed 1 finds; null if the tests do not fuzz the receiver. */
  readonly fuzz: ExpectedFailure | null;
  /** The time limit for a response, if the defect needs another one than the tests use. */
  readonly timeoutMs?: number;
}

interface ExpectedFailure {
  readonly rule: FuzzRule;
  /** The greatest number of steps of the smallest sequence; undefined if it depends on timing. */
  readonly steps?: number;
  /** The only attack that reveals the defect. */
  readonly attack?: AttackName;
  /** The variations of the test, if random sequences with all of them show the defect late. */
  readonly only?: readonly Variation[];
}

const TOLERANCE_MS = 5 * MINUTE_MS;
/** Fails too if a tampered delivery is accepted and processed. */
const NO_SIDE_EFFECT = 'rejection.no-side-effect';

const getSignature = ({ headers }: Receiving) => String(headers['service-signature'] ?? '');
const getTimestamp = ({ headers }: Receiving) => String(headers['service-timestamp'] ?? '');
const readId = ({ body }: Receiving) => /"id":"(evt_[^"]+)"/.exec(body.toString())?.[1] ?? '';
const getDigest = (signature: string) => signature.slice('v1='.length);
const computeDigest = (content: Buffer | string) =>
  createHmac('sha256', SECRET).update(content).digest('hex');
const withBody = (receiving: Receiving, body: string) => ({ ...receiving, body: Buffer.from(body) });
const serializeAgain = (body: Buffer) => JSON.stringify(JSON.parse(body.toString()));

/**
 * Forgets a key after some time, unless a hundred others came after it: on a busy machine, the check with so many events can
 * take longer than that time.
 */
function createExpiringStore(expiryMs: number): ReceiverParts['storeKey'] {
  const stored = new Map<string, { readonly at: number; readonly number: number }>();
  let count = 0;
  return (key) => {
    const found = stored.get(key);
    const isNew =
      found === undefined || (performance.now() - found.at > expiryMs && count - found.number < 100);
    if (isNew) stored.set(key, { at: performance.now(), number: ++count });
    return isNew;
  };
}

/** Forgets all keys after a pause. */
function createIdleStore(pauseMs: number): ReceiverParts['storeKey'] {
  let lastRequestAt = performance.now();
  return (key, seen) => {
    if (performance.now() - lastRequestAt > pauseMs) seen.clear();
    lastRequestAt = performance.now();
    return storeKey(key, seen);
  };
}

/** Remembers the latest keys. */
function createBoundedStore(maxSize: number): ReceiverParts['storeKey'] {
  return (key, seen) => {
    const isNew = storeKey(key, seen);
    for (const oldest of [...seen].slice(0, -maxSize)) seen.delete(oldest);
    return isNew;
  };
}

/** Looks a key up, and stores it later. */
function storeAfter(delayMs: number): ReceiverParts['storeKey'] {
  return async (key, seen) => {
    const isNew = !seen.has(key);
    await sleep(delayMs);
    seen.add(key);
    return isNew;
  };
}

/** Finds a key in the queue, and after the work in the table of processed events, but not during the work. */
function createQueue({ waitMs, workMs }: { waitMs: number; workMs: number }): ReceiverParts['storeKey'] {
  return (key, seen) => {
    const isNew = storeKey(key, seen);
    if (isNew) {
      setTimeout(() => seen.delete(key), waitMs);
      setTimeout(() => seen.add(key), waitMs + workMs);
    }
    return isNew;
  };
}

export const defects: readonly Defect[] = [
  // The body.
  {
    name: 'parses before it verifies',
    create: () => ({ toVerified: serializeAgain }),
    check: ['raw-body.white-space', 'raw-body.unicode-escape', 'raw-body.big-number', 'raw-body.re-spaced'],
    fuzz: { rule: 'accepted', steps: 1 },
  },
  {
    name: 'normalizes Unicode before it verifies',
    create: () => ({ toVerified: (body) => body.toString().normalize('NFC') }),
    check: ['raw-body.decomposed'],
    fuzz: { rule: 'accepted', steps: 1 },
  },
  {
    name: 'replaces characters that Latin-1 does not have before it verifies',
    create: () => ({ toVerified: (body) => body.toString().replace(/[^\0-\xff]/g, '?') }),
    check: ['raw-body.non-ascii'],
    fuzz: { rule: 'accepted', steps: 1 },
  },
  {
    name: 'reads only the start of a slow body',
    create: () => ({
      async readBody(request) {
        const [start] = await once(request, 'data');
        return start as Buffer;
      },
    }),
    check: null,
    // On a busy machine, both parts can arrive at once. A smaller sequence that does so passes.
    fuzz: { rule: 'accepted', steps: 2, only: ['slow-body'] },
  },
  {
    name: 'cannot read a large body',
    create: () => ({
      toVerified(body) {
        if (body.length > 100_000) throw new RangeError('too large');
        return body;
      },
    }),
    check: ['robustness.large-body'],
    fuzz: { rule: 'no-server-error', steps: 1, only: ['payload'] },
  },
  {
    name: 'rejects a large body',
    create: () => ({ refuse: (_, { body }) => (body.length > 100_000 ? 413 : null) }),
    check: ['robustness.large-body'],
    fuzz: { rule: 'accepted', steps: 1, only: ['payload'] },
  },

  // The signature.
  {
    name: 'verifies nothing and works on one event after the other',
    create: () => ({ isAuthentic: () => true, work: workInOrder(1_000) }),
    check: ['signature.other-secret', 'rejection.status', NO_SIDE_EFFECT],
    fuzz: { rule: 'rejected', steps: 1 },
  },
  {
    name: 'verifies only the form of the signature',
    create: () => ({
      isAuthentic: (receiving, { isRecent }) =>
        /^v1=[0-9a-f]{64}(, ?v1=[0-9a-f]{64})?$/.test(getSignature(receiving)) &&
        isRecent(Date.now() - Date.parse(getTimestamp(receiving))),
    }),
    check: ['signature.other-secret', NO_SIDE_EFFECT],
    fuzz: { rule: 'rejected', steps: 1 },
  },
  {
    name: 'verifies an empty body too',
    create: () => ({
      isAuthentic: (receiving, parts) =>
        correctParts.isAuthentic(receiving, parts) ||
        correctParts.isAuthentic(withBody(receiving, ''), parts),
    }),
    check: ['signature.empty-body', NO_SIDE_EFFECT],
    fuzz: { rule: 'rejected', steps: 1 },
  },
  {
    name: 'verifies the body without its last field too',
    create: () => ({
      isAuthentic: (receiving, parts) =>
        correctParts.isAuthentic(receiving, parts) ||
        correctParts.isAuthentic(
          withBody(receiving, receiving.body.toString().replace(/,"\w+":true}$/, '}')),
          parts,
        ),
    }),
    check: ['signature.altered-body', NO_SIDE_EFFECT],
    fuzz: { rule: 'rejected', steps: 1, attack: 'altered' },
  },
  {
    name: 'verifies nothing if there are two signature headers',
    create: () => ({
      isAuthentic: (receiving, parts) =>
        getSignature(receiving).includes(', ') || correctParts.isAuthentic(receiving, parts),
    }),
    check: ['signature.doubled', NO_SIDE_EFFECT],
    fuzz: { rule: 'rejected', steps: 1, attack: 'doubled-signature' },
  },
  {
    name: 'searches for the signature anywhere in the header',
    create: () => ({ matches: (signature, expected) => signature.includes(getDigest(expected)) }),
    check: [
      ...['signature.prefixed', 'signature.suffixed', 'signature.no-version', 'signature.other-version'],
      NO_SIDE_EFFECT,
    ],
    fuzz: { rule: 'rejected', steps: 1 },
  },
  {
    name: 'expects one signature',
    create: () => ({
      isAuthentic: (receiving, parts) =>
        !getSignature(receiving).includes(',') && correctParts.isAuthentic(receiving, parts),
    }),
    check: ['signature.rotated-first', 'signature.rotated-last'],
    fuzz: null,
  },
  {
    name: 'accepts any version',
    create: () => ({
      matches: (signature, expected) =>
        /^v\d=/.test(signature) && getDigest(signature) === getDigest(expected),
    }),
    check: ['signature.other-version', NO_SIDE_EFFECT],
    fuzz: { rule: 'rejected', steps: 1, attack: 'other-version' },
  },
  {
    name: 'accepts no version',
    create: () => ({
      matches: (signature, expected) => signature.replace(/^v1=/, '') === getDigest(expected),
    }),
    check: ['signature.no-version', NO_SIDE_EFFECT],
    fuzz: { rule: 'rejected', steps: 1 },
  },
  {
    name: 'decodes the signature as far as it is hex',
    create: () => ({
      matches: (signature, expected) =>
        signature.startsWith('v1=') &&
        Buffer.from(getDigest(signature), 'hex').equals(Buffer.from(getDigest(expected), 'hex')),
    }),
    check: ['signature.suffixed', NO_SIDE_EFFECT],
    fuzz: { rule: 'rejected', steps: 1, attack: 'suffixed-signature' },
  },
  {
    name: 'compares with a prefix',
    create: () => ({ matches: (signature, expected) => expected.startsWith(signature) }),
    check: [
      ...['signature.missing', 'signature.empty', 'signature.blank', 'signature.truncated'],
      NO_SIDE_EFFECT,
    ],
    fuzz: { rule: 'rejected', steps: 1 },
  },
  {
    name: 'accepts an empty signature',
    create: () => ({
      isAuthentic: (receiving, parts) =>
        receiving.headers['service-signature'] === '' || correctParts.isAuthentic(receiving, parts),
    }),
    check: ['signature.empty', NO_SIDE_EFFECT],
    fuzz: { rule: 'rejected', steps: 1 },
  },
  {
    name: 'accepts a delivery without a signature',
    create: () => ({
      isAuthentic: (receiving, parts) =>
        receiving.headers['service-signature'] === undefined || correctParts.isAuthentic(receiving, parts),
    }),
    check: ['signature.missing', NO_SIDE_EFFECT],
    fuzz: { rule: 'rejected', steps: 1 },
  },
  {
    name: 'verifies with the API key',
    create: () => ({ keys: [API_KEY] }),
    check: ['signature.genuine'],
    fuzz: { rule: 'accepted', steps: 1 },
  },
  {
    name: 'accepts the API key too',
    create: () => ({ keys: [SECRET, API_KEY] }),
    check: ['signature.api-key'],
    fuzz: null,
  },
  {
    name: 'cannot handle two signature headers',
    create: () => ({
      beforeVerifying(receiving) {
        if (getSignature(receiving).includes(', ')) throw new TypeError('not a string');
      },
    }),
    check: ['rejection.status'],
    fuzz: { rule: 'rejected', steps: 1, attack: 'doubled-signature' },
  },
  {
    // As hmac.compare_digest of Python does.
    name: 'compares signatures with a function that throws for characters outside ASCII',
    create: () => ({
      matches(signature, expected) {
        if (/[^\0-\x7f]/.test(signature)) throw new TypeError('comparing strings with non-ASCII characters');
        return correctParts.matches(signature, expected);
      },
    }),
    check: ['rejection.status'],
    fuzz: { rule: 'rejected', steps: 1, attack: 'non-ascii-signature' },
  },
  {
    name: 'compares only the ASCII characters of a signature',
    create: () => ({
      matches: (signature, expected) =>
        correctParts.matches(signature.replace(/[^\0-\x7f]/g, expected.charAt('v1='.length)), expected),
    }),
    check: ['signature.non-ascii', NO_SIDE_EFFECT],
    fuzz: { rule: 'rejected', steps: 1, attack: 'non-ascii-signature' },
  },
  {
    name: 'does not await its verification',
    create: () => {
      const verify = async (...args: Parameters<ReceiverParts['isAuthentic']>) =>
        correctParts.isAuthentic(...args);
      return { isAuthentic: (...args) => Boolean(verify(...args)) };
    },
    check: null,
    fuzz: { rule: 'rejected', steps: 1 },
  },
  {
    // As a regular expression with the flag g does.
    name: 'rejects every second valid delivery',
    create: () => {
      let count = 0;
      return {
        isAuthentic: (receiving, parts) => correctParts.isAuthentic(receiving, parts) && count++ % 2 === 0,
      };
    },
    check: ['signature.second'],
    fuzz: null,
  },
  {
    // As BigInteger.toString(16) of Java does.
    name: 'loses a zero at the start of the digest',
    create: () => ({ matches: (signature, expected) => signature === expected.replace(/^v1=0+/, 'v1=') }),
    check: ['signature.leading-zero'],
    fuzz: null,
  },
  {
    // As OffsetDateTime.toString of Java does.
    name: 'leaves out seconds of 0 when it formats the timestamp',
    create: () => ({
      isAuthentic: (receiving, parts) =>
        !getTimestamp(receiving).endsWith(':00Z') && correctParts.isAuthentic(receiving, parts),
    }),
    check: ['timestamp.whole-minute'],
    fuzz: null,
  },
  {
    name: 'finds its headers in one spelling only',
    create: () => ({
      isAuthentic: (receiving, parts) =>
        receiving.rawHeaders.includes('Service-Signature') && correctParts.isAuthentic(receiving, parts),
    }),
    check: ['robustness.lower-case-headers'],
    fuzz: null,
  },
  {
    name: 'deduplicates on the signature',
    create: () => ({ getKey: (_, receiving) => getSignature(receiving) }),
    check: ['deduplication.other-delivery', 'deduplication.later'],
    fuzz: null,
  },
  {
    name: 'responds with 500 to a bad signature',
    create: () => ({ rejectionStatus: 500 }),
    check: ['rejection.status'],
    fuzz: { rule: 'rejected', steps: 1 },
  },
  {
    name: 'acknowledges what it rejects',
    create: () => ({ rejectionStatus: 204 }),
    check: ['signature.other-secret', 'rejection.status'],
    fuzz: { rule: 'rejected', steps: 1, attack: 'forged' },
  },
  {
    name: 'acknowledges an old delivery that it does not process',
    create: () => ({
      isRecent: () => true,
      refuse: (_, receiving) =>
        correctParts.isAuthentic(receiving, correctParts) ? null : correctParts.getRepeatStatus(false),
    }),
    check: [...['timestamp.old', 'timestamp.slightly-old', 'timestamp.unreadable', 'timestamp.future']],
    fuzz: { rule: 'rejected', steps: 1 },
  },
  {
    name: 'crashes when a signature is missing',
    create: () => ({
      beforeVerifying(receiving, { crash }) {
        if (getSignature(receiving) === '') crash();
      },
    }),
    check: null,
    fuzz: { rule: 'running', steps: 1, only: ['missing-signature', 'restart'] },
  },

  // The timestamp.
  {
    name: 'ignores a missing timestamp',
    create: () => ({
      isAuthentic: (receiving, parts) =>
        receiving.headers['service-timestamp'] === undefined || correctParts.isAuthentic(receiving, parts),
    }),
    check: ['timestamp.missing', NO_SIDE_EFFECT],
    fuzz: { rule: 'rejected', steps: 1 },
  },
  {
    name: 'rejects after three minutes',
    create: () => ({ isRecent: (ageMs) => Math.abs(ageMs) <= 3 * MINUTE_MS }),
    check: ['timestamp.recent'],
    fuzz: null,
  },
  {
    name: 'ignores the timestamp',
    create: () => ({ isRecent: () => true }),
    check: [
      ...['timestamp.old', 'timestamp.slightly-old', 'timestamp.unreadable', 'timestamp.future'],
      NO_SIDE_EFFECT,
    ],
    fuzz: { rule: 'rejected', steps: 1 },
  },
  {
    name: 'counts the age in whole minutes',
    create: () => ({ isRecent: (ageMs) => Math.trunc(Math.abs(ageMs) / MINUTE_MS) <= 5 }),
    check: ['timestamp.slightly-old', NO_SIDE_EFFECT],
    fuzz: { rule: 'rejected', steps: 1, attack: 'slightly-stale' },
  },
  {
    name: 'accepts what is not too old',
    create: () => ({ isRecent: (ageMs) => ageMs <= TOLERANCE_MS }),
    check: ['timestamp.future', NO_SIDE_EFFECT],
    fuzz: { rule: 'rejected', steps: 1, attack: 'future' },
  },
  {
    name: 'accepts what is not a time',
    create: () => ({ isRecent: (ageMs) => !(Math.abs(ageMs) > TOLERANCE_MS) }),
    check: ['timestamp.unreadable', NO_SIDE_EFFECT],
    fuzz: { rule: 'rejected', steps: 1, attack: 'unreadable-timestamp' },
  },
  {
    name: 'accepts a signature over the body only',
    create: () => ({
      isAuthentic: (receiving, parts) =>
        correctParts.isAuthentic(receiving, parts) ||
        getSignature(receiving) === `v1=${computeDigest(receiving.body)}`,
    }),
    check: ['timestamp.unsigned', NO_SIDE_EFFECT],
    fuzz: { rule: 'rejected', steps: 1, attack: 'unsigned-timestamp' },
  },
  {
    name: 'accepts a signature over an earlier timestamp',
    create: () => ({
      isAuthentic(receiving, parts) {
        const time = Date.parse(getTimestamp(receiving));
        const isSignedAt = (ageMs: number) => {
          const headers = {
            ...receiving.headers,
            'service-timestamp': formatTimestamp('iso8601', time - ageMs),
          };
          return correctParts.isAuthentic({ ...receiving, headers }, { ...parts, isRecent: () => true });
        };
        const ages = Array.from({ length: 600 }, (_, seconds) => seconds * SECOND_MS);
        return parts.isRecent(Date.now() - time) && ages.some(isSignedAt);
      },
    }),
    check: ['timestamp.replaced', NO_SIDE_EFFECT],
    fuzz: { rule: 'rejected', steps: 1, attack: 'replayed' },
  },
  {
    name: 'takes the age from the last timestamp header and verifies the first one',
    create: () => ({
      isAuthentic(receiving, parts) {
        const [first = '', ...others] = getTimestamp(receiving).split(', ');
        const headers = { ...receiving.headers, 'service-timestamp': first };
        return (
          parts.isRecent(Date.now() - Date.parse(others.at(-1) ?? first)) &&
          correctParts.isAuthentic({ ...receiving, headers }, { ...parts, isRecent: () => true })
        );
      },
    }),
    check: ['timestamp.doubled', NO_SIDE_EFFECT],
    fuzz: { rule: 'rejected', steps: 1 },
  },

  // The order of the steps in the receiver.
  {
    name: 'processes before it verifies',
    create: () => ({
      beforeVerifying(receiving, { seen, sideEffects }) {
        const id = readId(receiving);
        if (storeKey(id, seen)) sideEffects.push(id);
      },
    }),
    check: [NO_SIDE_EFFECT],
    fuzz: { rule: 'no-side-effect', steps: 1 },
  },
  {
    name: 'marks an event as seen before it verifies',
    create: () => ({
      beforeVerifying(receiving, { seen }) {
        if (!correctParts.isAuthentic(receiving, correctParts)) seen.add(readId(receiving));
      },
    }),
    check: ['rejection.same-event'],
    fuzz: { rule: 'processed', steps: 2 },
  },
  {
    name: 'responds after the time limit',
    create: () => ({ beforeVerifying: () => sleep(1_300) }),
    check: ['signature.genuine'],
    fuzz: { rule: 'accepted', steps: 1 },
    timeoutMs: 1_200,
  },
  {
    name: 'responds after the work',
    create: () => ({ respondsAfterWork: true, work: () => sleep(1_200) }),
    check: ['acceptance.before-work'],
    fuzz: null,
  },
  {
    name: 'loses its work at a restart',
    create: () => {
      let restarts = 0;
      const work = async (before: number) => {
        await sleep(30);
        return before === restarts;
      };
      return { hasSideEffect: () => work(restarts), onRestart: () => void restarts++ };
    },
    check: null,
    fuzz: { rule: 'processed', only: ['restart'] },
  },

  // The deduplication.
  {
    name: 'does not deduplicate',
    create: () => ({ storeKey: () => true }),
    check: [
      ...['deduplication.same-delivery', 'deduplication.other-delivery', 'deduplication.at-once'],
      ...['deduplication.during-work', 'deduplication.later', 'deduplication.after-others'],
    ],
    fuzz: { rule: 'once', steps: 2 },
  },
  {
    name: 'deduplicates on the delivery ID',
    create: () => ({ getKey: (_, { headers }) => String(headers['service-delivery-id']) }),
    check: ['deduplication.other-delivery'],
    fuzz: { rule: 'once', steps: 2 },
  },
  {
    name: 'deduplicates on the start of the ID',
    create: () => ({ getKey: ({ data }) => data.id.slice(0, -2) }),
    check: ['deduplication.similar-ids'],
    fuzz: { rule: 'processed', steps: 2 },
  },
  {
    name: 'deduplicates on the last eight characters of the ID',
    create: () => ({ getKey: ({ data }) => data.id.slice(-8) }),
    check: ['deduplication.similar-ids'],
    fuzz: { rule: 'processed', steps: 3 },
  },
  {
    name: 'deduplicates on the payload',
    create: () => ({ getKey: ({ data }) => JSON.stringify(data.payload) }),
    check: null,
    fuzz: { rule: 'processed', steps: 2, only: ['reordered'] },
  },
  {
    name: 'loses a race between repeats',
    create: () => ({ storeKey: storeAfter(50) }),
    check: ['deduplication.at-once'],
    fuzz: { rule: 'once' },
  },
  {
    name: 'marks an event only after the work',
    // The copies of a delivery that are sent at once arrive before the work, even on a busy machine.
    create: () => ({ work: () => sleep(400 + 800), storeKey: createQueue({ waitMs: 400, workMs: 800 }) }),
    check: ['deduplication.during-work'],
    fuzz: null,
  },
  {
    name: 'stores an ID only while the sender is connected',
    create: () => ({
      async storeKey(key, seen, { isConnected }) {
        const isNew = !seen.has(key);
        await sleep(30);
        if (isConnected()) seen.add(key);
        return isNew;
      },
    }),
    check: null,
    fuzz: { rule: 'once', only: ['lost-response'] },
  },
  {
    name: 'processes a duplicate half a second later',
    create() {
      let delayMs = 0;
      return {
        storeKey(key, seen) {
          delayMs = seen.has(key) ? 500 : 0;
          return seen.add(key).size > 0;
        },
        work: () => sleep(delayMs),
      };
    },
    check: [
      ...['deduplication.same-delivery', 'deduplication.other-delivery', 'deduplication.at-once'],
      ...['deduplication.during-work', 'deduplication.later', 'deduplication.after-others'],
    ],
    fuzz: null,
  },
  {
    name: 'forgets an ID after two seconds',
    create: () => ({ storeKey: createExpiringStore(2_000) }),
    check: ['deduplication.later'],
    fuzz: null,
  },
  {
    name: 'forgets its IDs after two seconds without a request',
    create: () => ({ storeKey: createIdleStore(2_000) }),
    check: ['deduplication.later'],
    fuzz: null,
  },
  {
    name: 'remembers a hundred IDs',
    create: () => ({ storeKey: createBoundedStore(100) }),
    check: ['deduplication.after-others'],
    fuzz: { rule: 'once', steps: 4, only: ['duplicate', 'burst'] },
  },
  {
    name: 'forgets its IDs at a restart',
    create: () => ({ forgetsOnRestart: true }),
    check: null,
    fuzz: { rule: 'once', steps: 3, only: ['duplicate', 'restart'] },
  },
  {
    name: 'refuses repeats',
    create: () => ({ getRepeatStatus: () => 409 }),
    check: ['deduplication.same-delivery', 'deduplication.other-delivery'],
    fuzz: { rule: 'accepted', steps: 2 },
  },

  // Events and load.
  {
    name: 'crashes on big numbers',
    create: () => ({
      parse(body) {
        if (/\d{16}/.test(body)) throw new RangeError('not a safe integer');
        return JSON.parse(body);
      },
    }),
    check: ['robustness.big-number'],
    fuzz: { rule: 'no-server-error', steps: 1 },
  },
  {
    name: 'accepts only twenty levels of nesting',
    create: () => ({ refuse: (_, { body }) => (/(?:\[\{"a":){10}/.test(body.toString()) ? 400 : null) }),
    check: null,
    fuzz: { rule: 'accepted', steps: 1, only: ['payload'] },
  },
  {
    name: 'fails on an empty payload',
    create: () => ({
      refuse({ data }) {
        if (Object.keys(data.payload).length === 0) throw new TypeError('no fields');
        return null;
      },
    }),
    check: null,
    fuzz: { rule: 'no-server-error', steps: 1, only: ['payload'] },
  },
  {
    name: 'crashes on an unknown field',
    create: () => ({
      refuse({ type, data }) {
        const fields = Object.keys(data.payload);
        const isUnknown = fields.some(
          (name) => !['order_id', 'street', 'invoice_id', 'amount'].includes(name),
        );
        if (isUnknown && !type.startsWith('svc_')) throw new TypeError('unknown field');
        return null;
      },
    }),
    check: ['robustness.unknown-field'],
    fuzz: { rule: 'no-server-error', steps: 1, only: ['payload'] },
  },
  {
    name: 'rejects an unknown type',
    create: () => ({ refuse: ({ type }) => (type.startsWith('svc_') ? 422 : null) }),
    check: ['robustness.unknown-type'],
    fuzz: { rule: 'accepted', steps: 1 },
  },
  {
    name: 'rejects an event that was created a day ago',
    create: () => ({
      refuse: ({ created_at: at }) => (Date.now() - Date.parse(at) > 0.9 * DAY_MS ? 400 : null),
    }),
    check: null,
    fuzz: { rule: 'accepted', steps: 1 },
  },
  {
    name: 'skips an event that is older than the last one',
    create: () => {
      let newest = 0;
      return {
        hasSideEffect({ created_at: at }) {
          const isNewer = Date.parse(at) >= newest;
          if (isNewer) newest = Date.parse(at);
          return isNewer;
        },
      };
    },
    check: null,
    fuzz: { rule: 'order', steps: 2, only: ['reordered'] },
  },
  {
    name: 'fails on a delivery that arrives during another',
    create: () => {
      let isBusy = false;
      return {
        async storeKey(key, seen) {
          if (isBusy) throw new Error('busy');
          isBusy = true;
          await sleep(50);
          isBusy = false;
          return storeKey(key, seen);
        },
      };
    },
    check: ['robustness.at-once'],
    fuzz: { rule: 'no-server-error', only: ['concurrent'] },
  },
  {
    name: 'fails on more than ten deliveries at once',
    create: () => {
      let running = 0;
      return {
        async storeKey(key, seen) {
          if (running >= 10) throw new Error('too many');
          running++;
          await sleep(20);
          running--;
          return storeKey(key, seen);
        },
      };
    },
    check: null,
    fuzz: { rule: 'no-server-error', only: ['burst'] },
  },
  {
    name: 'drops events while ten are being stored',
    create: () => {
      let running = 0;
      return {
        hasSideEffect: () => running < 10,
        async storeKey(key, seen) {
          running++;
          await sleep(20);
          running--;
          return storeKey(key, seen);
        },
      };
    },
    check: null,
    fuzz: { rule: 'processed', only: ['burst'] },
  },
  {
    name: 'fails after a sender has closed a kept connection',
    create: () => {
      let isBroken = false;
      return {
        readBody(request) {
          const { headers, socket } = request;
          if (headers.connection === 'keep-alive') {
            socket.once('close', () => {
              isBroken = true;
            });
          }
          return correctParts.readBody(request);
        },
        refuse() {
          if (isBroken) throw new Error('not connected');
          return null;
        },
      };
    },
    check: null,
    fuzz: { rule: 'no-server-error', steps: 2, only: ['kept-connection'] },
  },
];
