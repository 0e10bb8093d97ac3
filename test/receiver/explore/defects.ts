/** Receivers with one defect each. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Disturbance } from '../../../src/domain/exploration.ts';
import type { ExploreRule } from '../../../src/receiver/explore/rules.ts';
import { correctParts, type ExploredParts, type Receiving, storeKey } from './explored-receiver.ts';

export interface Defect {
  readonly name: string;
  readonly create: () => Partial<ExploredParts>;
  readonly rule: ExploreRule;
  /** The number of steps of the smallest history. */
  readonly steps: number;
  /** Disturbances that are rare in random histories. */
  readonly only?: readonly Disturbance[];
  readonly timeoutMs?: number;
}

const getSignature = ({ headers }: Receiving) => String(headers['service-signature'] ?? '');
const readId = ({ body }: Receiving) => /"id":"(evt_[^"]+)"/.exec(body.toString())?.[1] ?? '';

export const defects: readonly Defect[] = [
  { name: 'does not deduplicate', create: () => ({ storeKey: () => true }), rule: 'once', steps: 2 },
  {
    name: 'deduplicates on the delivery id',
    create: () => ({ getKey: (_, { headers }) => String(headers['service-delivery-id']) }),
    rule: 'once',
    steps: 2,
  },
  {
    name: 'loses a race between repeats',
    create: () => ({
      async storeKey(key, seen) {
        const isNew = !seen.has(key);
        await sleep(20);
        seen.add(key);
        return isNew;
      },
    }),
    rule: 'once',
    steps: 2,
  },
  {
    name: 'deduplicates on the start of the id',
    create: () => ({ getKey: ({ data }) => data.id.slice(0, -1) }),
    rule: 'processed',
    steps: 2,
  },
  {
    name: 'deduplicates on the end of the id',
    create: () => ({ getKey: ({ data }) => data.id.slice(-8) }),
    rule: 'processed',
    steps: 3,
  },
  {
    name: 'forgets an id after 50 others',
    create: () => ({
      storeKey(key, seen) {
        const isNew = storeKey(key, seen);
        for (const oldest of [...seen].slice(0, -50)) seen.delete(oldest);
        return isNew;
      },
    }),
    rule: 'once',
    steps: 3,
    only: ['duplicate', 'burst'],
  },
  {
    name: 'forgets its ids after a second without a delivery',
    create: () => {
      let timer: NodeJS.Timeout | undefined;
      return {
        storeKey(key, seen) {
          clearTimeout(timer);
          timer = setTimeout(() => seen.clear(), 1_000);
          return storeKey(key, seen);
        },
      };
    },
    rule: 'once',
    steps: 3,
    only: ['duplicate', 'pause'],
  },
  {
    name: 'forgets its ids at a restart',
    create: () => ({ forgetsOnRestart: true }),
    rule: 'once',
    steps: 3,
    only: ['duplicate', 'restart'],
  },
  {
    name: 'marks an event as seen before it verifies',
    create: () => {
      const marked = new Set<string>();
      return {
        beforeVerifying(receiving) {
          if (!correctParts.isAuthentic(receiving, correctParts)) marked.add(readId(receiving));
        },
        hasEffect: ({ data }) => !marked.has(data.id),
      };
    },
    rule: 'processed',
    steps: 2,
  },
  {
    name: 'processes before it verifies',
    create: () => ({
      beforeVerifying(receiving, { seen, effects }) {
        const id = readId(receiving);
        if (storeKey(id, seen)) effects.push(id);
      },
    }),
    rule: 'no-effect',
    steps: 1,
  },
  {
    name: 'verifies only the form of the signature',
    create: () => ({
      isAuthentic: (receiving) =>
        /^v1=[0-9a-f]{64}(,v1=[0-9a-f]{64})?$/.test(getSignature(receiving)) &&
        correctParts.isRecent(Date.parse(String(receiving.headers['service-timestamp']))),
    }),
    rule: 'rejected',
    steps: 1,
  },
  {
    name: 'ignores the age of a delivery',
    create: () => ({ isRecent: () => true }),
    rule: 'rejected',
    steps: 1,
  },
  {
    name: 'accepts a delivery without a signature',
    create: () => ({
      isAuthentic: (receiving, parts) =>
        getSignature(receiving) === '' || correctParts.isAuthentic(receiving, parts),
    }),
    rule: 'rejected',
    steps: 1,
  },
  {
    name: 'responds to an attack with 500',
    create: () => ({ rejectionStatus: 500 }),
    rule: 'rejected',
    steps: 1,
  },
  {
    name: 'expects one signature',
    create: () => ({
      isAuthentic: (receiving, parts) =>
        !getSignature(receiving).includes(',') && correctParts.isAuthentic(receiving, parts),
    }),
    rule: 'accepted',
    steps: 1,
  },
  {
    name: 'normalizes Unicode before it verifies',
    create: () => ({ toVerified: (body) => body.toString().normalize('NFC') }),
    rule: 'accepted',
    steps: 1,
  },
  {
    name: 'parses before it verifies',
    create: () => ({ toVerified: (body) => JSON.stringify(JSON.parse(body.toString())) }),
    rule: 'accepted',
    steps: 1,
  },
  {
    name: 'rejects a large body',
    create: () => ({ refuse: (_, { body }) => (body.length > 100_000 ? 413 : null) }),
    rule: 'accepted',
    steps: 1,
    only: ['payload'],
  },
  {
    name: 'rejects an unknown type',
    create: () => ({ refuse: ({ type }) => (type.startsWith('svc_') ? 422 : null) }),
    rule: 'accepted',
    steps: 1,
  },
  {
    name: 'rejects an event that was created a day ago',
    create: () => ({
      refuse: ({ created_at: at }) => (Date.now() - Date.parse(at) > 80_000_000 ? 400 : null),
    }),
    rule: 'accepted',
    steps: 1,
  },
  { name: 'refuses repeats', create: () => ({ repeatStatus: 409 }), rule: 'accepted', steps: 2 },
  {
    name: 'skips an event that is older than the last one',
    create: () => {
      let newest = 0;
      return {
        hasEffect({ created_at: at }) {
          const isNewer = Date.parse(at) >= newest;
          if (isNewer) newest = Date.parse(at);
          return isNewer;
        },
      };
    },
    rule: 'order',
    steps: 2,
    only: ['reordered'],
  },
  {
    name: 'fails on a delivery that arrives during another',
    create: () => {
      let isBusy = false;
      return {
        async storeKey(key, seen) {
          if (isBusy) throw new Error('busy');
          isBusy = true;
          await sleep(10);
          isBusy = false;
          return storeKey(key, seen);
        },
      };
    },
    rule: 'no-server-error',
    steps: 2,
    only: ['concurrent'],
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
    rule: 'no-server-error',
    steps: 3,
    only: ['burst'],
  },
  {
    name: 'crashes when a signature is missing',
    create: () => ({
      beforeVerifying(receiving, { crash }) {
        if (getSignature(receiving) === '') crash();
      },
    }),
    rule: 'running',
    steps: 1,
    only: ['missing-signature', 'restart'],
  },
  {
    name: 'stores an id only while the sender is connected',
    create: () => ({
      async storeKey(key, seen, { isConnected }) {
        const isNew = !seen.has(key);
        await sleep(30);
        if (isConnected()) seen.add(key);
        return isNew;
      },
    }),
    rule: 'once',
    steps: 1,
    only: ['lost-response'],
  },
  {
    name: 'reads only the start of a slow body',
    create: () => ({
      async readBody(request) {
        const [start] = await once(request, 'data');
        return start as Buffer;
      },
    }),
    rule: 'accepted',
    steps: 1,
    only: ['slow-body'],
  },
  {
    name: 'drops events while ten are being stored',
    create: () => {
      let running = 0;
      return {
        hasEffect: () => running < 10,
        async storeKey(key, seen) {
          running++;
          await sleep(20);
          running--;
          return storeKey(key, seen);
        },
      };
    },
    rule: 'processed',
    steps: 3,
    only: ['burst'],
  },
  {
    name: 'deduplicates on the payload',
    create: () => ({ getKey: ({ data }) => JSON.stringify(data.payload) }),
    rule: 'processed',
    steps: 2,
    only: ['reordered'],
  },
  {
    name: 'loses its work at a restart',
    create: () => {
      let restarts = 0;
      const work = async (before: number) => {
        await sleep(30);
        return before === restarts;
      };
      return { hasEffect: () => work(restarts), onRestart: () => void restarts++ };
    },
    rule: 'processed',
    steps: 2,
    only: ['restart'],
  },
  {
    name: 'accepts only twenty levels of nesting',
    create: () => ({ refuse: (_, { body }) => (/(?:\[\{"a":){10}/.test(body.toString()) ? 400 : null) }),
    rule: 'accepted',
    steps: 1,
    only: ['payload'],
  },
  {
    name: 'responds after the time limit',
    create: () => ({ workMs: 400, respondsAfterWork: true }),
    rule: 'accepted',
    steps: 1,
    timeoutMs: 300,
  },
];
