/** The checks of receivers with slow parts, and with one defect each, in virtual time: the failed checks name that defect and no other. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { SvcError } from '../../src/domain/errors.ts';
import { senders } from '../../src/profile/senders.ts';
import { listChecks } from '../../src/receivers/run-checks.ts';
import {
  commonSerializers,
  parseJson,
  type Serializer,
  writeJson,
} from '../../src/signature/json-serializers.ts';
import type { SignatureScheme } from '../../src/signature/scheme.ts';
import { schemeNames, schemes } from '../../src/signature/schemes.ts';
import { verifyMessage } from '../../src/signature/verify.ts';
import { checkReceiver, idsOf, needsObserver } from './check-receiver.ts';
import { API_KEY, type ReceiverParts, sleep, storeKey, workInOrder } from './configurable-receiver.ts';
import { defects } from './defects.ts';
import { startCheckedReceiver, useInProcessReceivers } from './in-process-receiver.ts';

beforeEach(useInProcessReceivers);

/** The numbers of deliveries that a text gives: without and with `--observe`. */
function readDeliveryCounts(text: string): number[] {
  const [, without, withObserver] = /sends? about (\d+) deliveries.*?about (\d+) with/s.exec(text) ?? [];
  return [Number(without), Number(withObserver)];
}

/** The verification of a correct receiver with this scheme. */
function verifyWith(scheme: SignatureScheme, secret: string): Partial<ReceiverParts> {
  return {
    isAuthentic({ body, headers }) {
      const lookup = { get: (name: string) => (headers[name.toLowerCase()] as string | undefined) ?? null };
      return verifyMessage({ scheme, secret, now: Date.now(), headers: lookup, payload: body }).ok;
    },
  };
}

/** They pass if the receiver accepts valid deliveries, and say nothing about others. */
const basicChecks = [
  'signature.genuine',
  'signature.second',
  'signature.leading-zero',
  'timestamp.whole-minute',
];

describe('runChecks', () => {
  it('docs/receiver-check.md and the help give the number of deliveries of a check', async () => {
    const counts: number[] = [];
    for (const isObserved of [false, true]) {
      await using receiver = await startCheckedReceiver({ work: () => sleep(1) });
      const { url, countSideEffects } = receiver;
      await checkReceiver(isObserved ? { url, countSideEffects } : { url });
      counts.push(Math.round(receiver.countDeliveries() / 10) * 10);
    }
    for (const document of ['receiver-check.md', 'commands.md']) {
      const text = readFileSync(join(import.meta.dirname, '../../docs', document), 'utf8');
      expect({ document, counts: readDeliveryCounts(text) }).toEqual({ document, counts });
    }
  });

  describe('with a receiver that accepts forged deliveries', () => {
    const FORGED = 'responds with 2xx to a delivery signed with another secret.';
    const verifiesNothing: Partial<ReceiverParts> = { isAuthentic: () => true };
    const acknowledgesAll: Partial<ReceiverParts> = { rejectionStatus: 200 };
    const rules = ['signature', 'timestamp', 'raw-body'];

    it.each<[string, Partial<ReceiverParts>, boolean]>([
      ['verifies nothing, without side effects', verifiesNothing, false],
      ['acknowledges everything, without side effects', acknowledgesAll, false],
      ['acknowledges everything, with side effects', acknowledgesAll, true],
      [
        'acknowledges everything and parses before it verifies, with side effects',
        { ...acknowledgesAll, toVerified: (body) => JSON.stringify(JSON.parse(body.toString())) },
        true,
      ],
    ])(
      'runChecks does not conclude from the responses what a receiver verifies that %s',
      async (_, parts, isObserved) => {
        await using receiver = await startCheckedReceiver(parts);
        const { url, readSideEffectCount: readSideEffects } = receiver;
        const report = await checkReceiver({ url, only: rules, ...(isObserved && { readSideEffects }) });
        expect(idsOf(report, 'passed')).toEqual(basicChecks);
        expect(idsOf(report, 'failed')).toEqual(['signature.other-secret']);
        for (const { status, ...check } of report.checks) {
          if (status !== 'passed') expect(check.meaning).toContain(FORGED);
        }
      },
    );

    it.each([true, false])(
      'runChecks does not pass a receiver that verifies nothing with --rule rejection, with IDs: %s',
      async (hasIds) => {
        await using receiver = await startCheckedReceiver({ ...verifiesNothing, storeKey: () => true });
        const { readSideEffects, readSideEffectCount } = receiver;
        const { checks, ok } = await checkReceiver({
          url: receiver.url,
          only: ['rejection'],
          readSideEffects: hasIds ? readSideEffects : readSideEffectCount,
        });
        expect(ok).toBe(false);
        expect(checks).toMatchObject([
          { status: 'failed', received: '21 × status 204' },
          { status: 'failed', received: '22 × status 204, side effects: 22' },
          { status: 'inconclusive', received: '' },
        ]);
      },
    );

    it.each([600, 1_000])(
      'runChecks counts the side effects of a receiver that verifies nothing and works on one event after the other, for %i ms each',
      async (workMs) => {
        await using receiver = await startCheckedReceiver({ ...verifiesNothing, work: workInOrder(workMs) });
        const { checks } = await checkReceiver({
          url: receiver.url,
          only: ['signature.other-secret', 'rejection', 'deduplication.same-delivery'],
          readSideEffects: receiver.readSideEffectCount,
        });
        expect(checks).toMatchObject([
          { status: 'failed', received: 'status 204', meaning: expect.stringContaining(FORGED) },
          { status: 'failed', received: '21 × status 204' },
          {
            status: 'failed',
            received: '22 × status 204, side effects: 22',
            meaning:
              'Your receiver got every kind of tampered delivery, then a valid one, and broke the rule that a forged, altered or old delivery has no side effect. Verify a delivery before you do anything else with it.',
          },
          { status: 'inconclusive' },
          { status: 'passed', received: '2 × status 204, side effects: 1' },
        ]);
      },
    );

    it('runChecks says how many tampered deliveries do not get 4xx', async () => {
      await using receiver = await startCheckedReceiver({
        beforeVerifying({ headers }) {
          if (headers['service-signature'] === '') throw new TypeError('no digest');
        },
      });
      const { checks } = await checkReceiver({ url: receiver.url, only: ['rejection.status'] });
      expect(checks).toMatchObject([
        {
          received: '20 × status 400, status 500',
          meaning:
            'Your receiver does not respond with 4xx to 1 of 21 tampered deliveries. Respond with 400 if verification fails, for any reason.',
        },
      ]);
    });

    it('runChecks says which duplicate has a side effect, and what to do about it', async () => {
      await using receiver = await startCheckedReceiver({ storeKey: () => true });
      const ids = ['deduplication.later', 'deduplication.after-others'];
      const { checks } = await checkReceiver({ ...receiver, only: ids });
      const broken = 'broke the rule that an event has only one side effect, however often it is delivered.';
      const remedy =
        'Keep each data.id for at least 72 hours, in a database and not in a size-limited cache.';
      expect(checks.map(({ meaning }) => meaning)).toEqual([
        `Your receiver got a delivery, and a duplicate more than two seconds later, and ${broken} ${remedy}`,
        `Your receiver got a delivery, 110 others, and a duplicate of the first, and ${broken} ${remedy}`,
      ]);
    });

    it('runChecks reports an accepted forged delivery if the side effect count fails', async () => {
      await using receiver = await startCheckedReceiver(verifiesNothing);
      const report = await checkReceiver({
        url: receiver.url,
        only: ['signature.other-secret', 'raw-body'],
        async readSideEffects() {
          throw new SvcError('usage', 'The count is locked.', { hint: 'Wait for it.' });
        },
      });
      const [forged, ...others] = report.checks;
      expect(forged).toMatchObject({ status: 'failed', meaning: expect.stringContaining(FORGED) });
      expect(new Set(others.map(({ status }) => status))).toEqual(new Set(['inconclusive']));
      expect(report.observer_problem).toBe('The count is locked.');
    });

    it('runChecks does not judge by responses if it does not know the response to a forged delivery', async () => {
      let deliveries = 0;
      await using receiver = await startCheckedReceiver({
        ...verifiesNothing,
        // The forged delivery comes after seven valid ones.
        refuse: () => (++deliveries === 8 ? 429 : null),
      });
      const report = await checkReceiver({ url: receiver.url, only: ['signature.genuine', 'raw-body'] });
      expect(idsOf(report, 'passed')).toEqual(['signature.genuine']);
      expect(idsOf(report, 'failed')).toEqual([]);
    });

    it('runChecks does not check whether forged deliveries suppress the genuine one if they are accepted', async () => {
      await using receiver = await startCheckedReceiver(verifiesNothing);
      const report = await checkReceiver({
        ...receiver,
        sender: { ...senders.svc, scheme: schemes.github },
        only: ['rejection.same-event'],
      });
      expect(idsOf(report, 'inconclusive')).toEqual(['rejection.same-event']);
      const meaning = expect.stringContaining('signature.other-secret did not pass');
      expect(report.checks).toMatchObject([{ meaning }]);
    });

    it('runChecks does not wait for side effects of forged deliveries that are only acknowledged', async () => {
      const times: number[] = [];
      for (const parts of [{}, acknowledgesAll]) {
        await using receiver = await startCheckedReceiver(parts);
        const startedAt = performance.now();
        await checkReceiver({ ...receiver, only: ['rejection'] });
        times.push(performance.now() - startedAt);
      }
      const [correctMs = 0, acknowledgingMs = 0] = times;
      expect(acknowledgingMs).toBeLessThan(correctMs + 3_000);
    });
  });

  it('runChecks continues when the side effect count fails, and only that check is inconclusive', async () => {
    await using receiver = await startCheckedReceiver();
    let completed = 0;
    const countSideEffects = async () => {
      if (completed === 1) throw new SvcError('usage', 'The count is locked.', { hint: 'Wait for it.' });
      return receiver.countSideEffects();
    };
    const report = await checkReceiver({
      url: receiver.url,
      countSideEffects,
      timeoutMs: 2_000,
      only: ['deduplication.same-delivery', 'deduplication.other-delivery', 'deduplication.at-once'],
      onProgress: (count) => {
        completed = count;
      },
    });
    expect(report.checks).toMatchObject([
      { status: 'passed' },
      { status: 'inconclusive', meaning: 'The count is locked. Wait for it.' },
      { status: 'passed' },
    ]);
    expect(report).toMatchObject({ ok: false, observer_problem: 'The count is locked.' });
  });

  it.each<readonly [string, Partial<ReceiverParts>, readonly string[]]>([
    ['is correct', {}, []],
    [
      'processes before it verifies',
      {
        beforeVerifying({ body }, { seen, sideEffects }) {
          const { id } = JSON.parse(body.toString()).data;
          if (storeKey(id, seen)) sideEffects.push(id);
        },
      },
      ['rejection.no-side-effect'],
    ],
    ['has another side effect for a repeat', { storeKey: () => true }, ['deduplication.same-delivery']],
  ])(
    'runChecks counts only side effects of its own events, with IDs and a receiver that %s',
    async (_, parts, failed) => {
      await using receiver = await startCheckedReceiver(parts);
      const othersIds: string[] = [];
      const report = await checkReceiver({
        url: receiver.url,
        only: ['rejection', 'acceptance', 'deduplication.same-delivery', 'deduplication.similar-ids'],
        // Another sender causes a side effect before each reading.
        async readSideEffects() {
          const ids = [...((await receiver.readSideEffects()).ids ?? []), ...othersIds];
          othersIds.push(`evt_${othersIds.length}`);
          return { count: ids.length, ids };
        },
      });
      expect(idsOf(report, 'failed')).toEqual(failed);
      expect(idsOf(report, 'inconclusive')).toEqual([]);
    },
  );

  it('runChecks counts all side effects if their IDs are not those of events', async () => {
    await using receiver = await startCheckedReceiver();
    const report = await checkReceiver({
      url: receiver.url,
      only: ['deduplication.same-delivery'],
      async readSideEffects() {
        const { count } = await receiver.readSideEffects();
        const ids = Array.from({ length: count }, (_, index) => `job_${index}`);
        return { count: ids.length, ids };
      },
    });
    expect(report.checks).toMatchObject([{ status: 'passed', received: '2 × status 204, side effects: 1' }]);
  });

  const serializeWith = ({ choices }: Serializer): Partial<ReceiverParts> => ({
    toVerified: (body) => writeJson(parseJson(body.toString()) ?? '', choices),
  });

  it.each(commonSerializers.slice(1, 3))(
    'runChecks names $name, with which a body is serialized again before it is verified [§6.1]',
    async (serializer) => {
      await using receiver = await startCheckedReceiver(serializeWith(serializer));
      const { checks } = await checkReceiver({ url: receiver.url, only: ['signature.genuine'] });
      expect(checks.map(({ meaning }) => meaning)).toEqual([expect.stringContaining(serializer.name)]);
    },
  );

  it.each(commonSerializers.slice(0, 3))(
    'runChecks detects the API key as the secret although the body is serialized again with $name [§5.7]',
    async (serializer) => {
      await using receiver = await startCheckedReceiver({ keys: [API_KEY], ...serializeWith(serializer) });
      const { checks } = await checkReceiver({ url: receiver.url, only: ['signature.genuine'] });
      expect(checks.map(({ meaning }) => meaning)).toEqual([expect.stringContaining('the API key')]);
    },
  );

  it('runChecks stops after some time if the receiver responds slowly', async () => {
    await using receiver = await startCheckedReceiver({ beforeVerifying: () => sleep(4_500) });
    const report = await checkReceiver({ url: receiver.url, timeoutMs: 5_000 });
    expect(idsOf(report, 'failed')).toEqual([]);
    expect(report.checks.at(-1)).toMatchObject({
      status: 'inconclusive',
      meaning:
        'Not checked, because the checks have already taken 4m. Make your receiver faster while they run.',
    });
    expect(receiver.countDeliveries()).toBeLessThan(65);
  });

  it.each(schemeNames)('runChecks passes a receiver that verifies the scheme %s correctly', async (name) => {
    const secret = 'whsec_c3ZjLWNoZWNrLXNlY3JldA==';
    await using receiver = await startCheckedReceiver(verifyWith(schemes[name], secret));
    const report = await checkReceiver({
      url: receiver.url,
      secret,
      sender: { ...senders.svc, scheme: schemes[name] },
    });
    expect(idsOf(report, 'failed')).toEqual([]);
    expect(idsOf(report, 'inconclusive')).toEqual(needsObserver);
  });

  it('runChecks passes a receiver that verifies a custom scheme correctly', async () => {
    const key = { form: 'hex', prefix: '' } as const;
    const scheme: SignatureScheme = { ...schemes.svc, name: 'own', key, timestampFormat: 'unix_ms' };
    const secret = '00ff'.repeat(16);
    await using receiver = await startCheckedReceiver(verifyWith(scheme, secret));
    const report = await checkReceiver({ url: receiver.url, secret, sender: { ...senders.svc, scheme } });
    expect(idsOf(report, 'failed')).toEqual([]);
  });
});

const CLOCK_DIFFERENCE_MS = 180_000;
const WORKER_INTERVAL_MS = 700;

const correctVariants: readonly (readonly [name: string, changes: Partial<ReceiverParts>])[] = [
  ['works slowly', { work: () => sleep(500) }],
  ['does its work at once', { work: async () => {} }],
  [
    'has a worker that looks for events every 0.7 seconds',
    { work: () => sleep(WORKER_INTERVAL_MS - (performance.now() % WORKER_INTERVAL_MS)) },
  ],
  ['refuses a repeat during the work', { getRepeatStatus: (isWorking) => (isWorking ? 409 : 204) }],
  ['has a clock that is three minutes ahead', { clockDifferenceMs: CLOCK_DIFFERENCE_MS }],
  ['has a clock that is three minutes behind', { clockDifferenceMs: -CLOCK_DIFFERENCE_MS }],
];

describe('svc receiver check', () => {
  it.each(correctVariants)(
    'the checks pass a correct receiver that %s [§6.1, §6.2, §6.3, §6.4, §6.5, §6.6]',
    async (_, changes) => {
      await using receiver = await startCheckedReceiver(changes);
      const report = await checkReceiver(receiver);
      expect(report.checks.filter(({ status }) => status !== 'passed')).toEqual([]);
      expect(report.ok).toBe(true);
    },
  );

  it('every check fails for at least one of the defective receivers', () => {
    const failed = new Set(defects.flatMap(({ check }) => check ?? []));
    const ids = listChecks(schemes.svc, API_KEY).map(({ id }) => id);
    expect(ids.filter((id) => !failed.has(id))).toEqual([]);
  });

  it.each(defects.filter(({ check }) => check !== null))(
    'the checks that fail for a receiver that $name name only that defect',
    async ({ create, check, timeoutMs = 5_000 }) => {
      await using receiver = await startCheckedReceiver(create());
      const report = await checkReceiver({ ...receiver, timeoutMs });
      expect(idsOf(report, 'failed')).toEqual(check);
      expect(report.ok).toBe(false);
    },
  );
});
