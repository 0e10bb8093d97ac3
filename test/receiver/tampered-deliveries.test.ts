import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { schemeNames, schemes } from '../../src/domain/signature/schemes.ts';
import { verifyMessage } from '../../src/domain/signature/verify.ts';
import { type AttackName, attackNames } from '../../src/domain/variations.ts';
import { DeliveryFactory } from '../../src/receiver/delivery-factory.ts';
import { fuzzRules } from '../../src/receiver/fuzz/fuzz-rules.ts';
import type { DeliveryMessage } from '../../src/receiver/receiver-client.ts';
import { listChecks } from '../../src/receiver/run-checks.ts';
import { getTamperedDelivery, listAttacks } from '../../src/receiver/tampered-deliveries.ts';
import { correctParts, type ReceiverParts, SECRET } from './configurable-receiver.ts';
import { fuzzReceiver } from './fuzz/fuzz-receiver.ts';
import { startInProcessReceiver, useVirtualTime } from './in-process-receiver.ts';

vi.mock('../../src/timers.ts', () => import('../support/fakeable-timers.ts'));
vi.mock('../../src/receiver/receiver-client.ts', async (importOriginal) => ({
  ...(await importOriginal<object>()),
  createReceiverClient: (await import('./in-process-receiver.ts')).createInProcessClient,
}));

const now = Date.parse('2026-11-22T12:00:00Z');

function createFactory(scheme: (typeof schemes)[keyof typeof schemes]): DeliveryFactory {
  return new DeliveryFactory({
    scheme,
    secret: 'whsec_c3ZjLWNoZWNrLXNlY3JldA==',
    eventType: 'order.shipped',
    payload: '{"order_id":"ord_1"}',
    now: () => now,
  });
}

/** Verifies as a receiver does that joins the values of a doubled header, or takes the first or the last of them. */
function verify(
  { scheme, secret }: DeliveryFactory,
  { headers, body }: DeliveryMessage,
  join: (values: readonly string[]) => string | undefined,
): boolean {
  const get = (name: string) => join([headers[name] ?? []].flat()) ?? null;
  return verifyMessage({ scheme, secret, now, headers: { get }, payload: body }).ok;
}

const joins = {
  'joins doubled headers': (values: readonly string[]) =>
    values.length === 0 ? undefined : values.join(', '),
  'reads the first of doubled headers': (values: readonly string[]) => values[0],
  'reads the last of doubled headers': (values: readonly string[]) => values.at(-1),
};

describe.each(schemeNames)('the tampered deliveries of the scheme %s', (name) => {
  const factory = createFactory(schemes[name]);
  const body = factory.createBody();

  it.each(Object.entries(joins))(
    'a correct receiver that %s rejects each, and accepts a valid delivery',
    (_, join) => {
      expect(verify(factory, factory.sign(body), join)).toBe(true);
      const accepted = listAttacks(factory.scheme).filter((attack) =>
        verify(factory, getTamperedDelivery(attack).create(factory, body), join),
      );
      expect(accepted).toEqual([]);
    },
  );
});

it('each tampered delivery is a check and a variation', () => {
  const ids: readonly string[] = listChecks(schemes.svc, null).map(({ id }) => id);
  expect(listAttacks(schemes.svc)).toEqual(attackNames);
  expect(attackNames.map((name) => getTamperedDelivery(name).id).filter((id) => !ids.includes(id))).toEqual(
    [],
  );
});

const digest = (content: Buffer | string) => createHmac('sha256', SECRET).update(content).digest('hex');

/** Defects that only one kind of tampered delivery reveals. */
const defects: readonly (readonly [name: string, attack: AttackName, parts: Partial<ReceiverParts>])[] = [
  [
    'accepts what is not a time',
    'unreadable-timestamp',
    { isRecent: (ageMs) => !(Math.abs(ageMs) > 300_000) },
  ],
  ['accepts a timestamp from the future', 'future', { isRecent: (ageMs) => ageMs <= 300_000 }],
  [
    'counts the age in whole minutes',
    'slightly-stale',
    { isRecent: (ageMs) => Math.trunc(Math.abs(ageMs) / 60_000) <= 5 },
  ],
  [
    'accepts a signature over the body only',
    'unsigned-timestamp',
    {
      isAuthentic: (receiving, parts) =>
        receiving.headers['service-signature'] === `v1=${digest(receiving.body)}` ||
        correctParts.isAuthentic(receiving, parts),
    },
  ],
  [
    'accepts any version',
    'other-version',
    { matches: (signature, expected) => signature.replace(/^v\d=/, 'v1=') === expected },
  ],
  [
    'ignores what follows the signature',
    'suffixed-signature',
    { matches: (signature, expected) => signature.startsWith(expected) },
  ],
  [
    'cannot handle two signature headers',
    'doubled-signature',
    {
      beforeVerifying({ headers }) {
        if (headers['service-signature']?.includes(', ')) throw new TypeError('not a string');
      },
    },
  ],
];

describe('the fuzz run of a receiver', () => {
  beforeEach(useVirtualTime);
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each(defects)('a receiver that %s is found with %s', async (_, attack, parts) => {
    await using receiver = await startInProcessReceiver(parts);
    const { failure } = await fuzzReceiver({ url: receiver.url, readSideEffects: null });
    expect(failure).toMatchObject({ rule: 'rejected', sequence: { steps: [{ kind: 'attack', attack }] } });
    const isAccepted = failure?.steps[0]?.received === 'status 204';
    const { remedy } = fuzzRules.rejected;
    const { explanation } = getTamperedDelivery(attack);
    expect(failure?.remedy).toBe(isAccepted ? `${explanation} ${remedy}` : remedy);
  });
});
