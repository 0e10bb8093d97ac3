import { describe, expect, it } from 'vitest';
import { attackNames } from '../../src/domain/variations.ts';
import { senders } from '../../src/profile/senders.ts';
import { DeliveryFactory } from '../../src/receivers/delivery-factory.ts';
import type { DeliveryMessage } from '../../src/receivers/receiver-client.ts';
import { listChecks } from '../../src/receivers/run-checks.ts';
import { getTamperedDelivery, listAttacks } from '../../src/receivers/tampered-deliveries.ts';
import { schemeNames, schemes } from '../../src/signature/schemes.ts';
import { verifyMessage } from '../../src/signature/verify.ts';

const now = Date.parse('2026-11-22T12:00:00Z');
const event = {
  id: 'evt_1',
  type: 'order.shipped',
  body: '{"type":"order.shipped","workspace_id":"ws_1","created_at":"2026-11-22T12:00:00Z","data":{"id":"evt_1","payload":{}}}',
};

function createFactory(scheme: (typeof schemes)[keyof typeof schemes]): DeliveryFactory {
  return new DeliveryFactory({
    sender: { ...senders.svc, scheme },
    secret: 'whsec_c3ZjLWNoZWNrLXNlY3JldA==',
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

  it.each(Object.entries(joins))(
    'a correct receiver that %s rejects each, and accepts a valid delivery',
    (_, join) => {
      expect(verify(factory, factory.sign(event), join)).toBe(true);
      const accepted = listAttacks(factory.scheme).filter((attack) =>
        verify(factory, getTamperedDelivery(attack).create(factory, event), join),
      );
      expect(accepted).toEqual([]);
    },
  );
});

it.each([
  ['svc', schemes.svc, []],
  ['standard-webhooks', schemes['standard-webhooks'], ['suffixed-signature']],
  ['stripe', schemes.stripe, ['missing-timestamp', 'future', 'doubled-timestamp']],
  [
    'github',
    schemes.github,
    [
      'missing-timestamp',
      'stale',
      'slightly-stale',
      'unreadable-timestamp',
      'future',
      'replayed',
      'unsigned-timestamp',
      'doubled-timestamp',
    ],
  ],
  ['slack', schemes.slack, ['future']],
  [
    'without a version',
    { ...schemes.svc, header: { ...schemes.svc.header, prefix: '' } },
    ['missing-version', 'other-version'],
  ],
])(
  'the scheme %s leaves out the tampered deliveries that it cannot form, or that its official library accepts',
  (_, scheme, expected) => {
    const possible = listAttacks(scheme);
    expect(attackNames.filter((name) => !possible.includes(name))).toEqual(expected);
  },
);

it.each([
  ['stale', '2026-11-22T11:53:50Z'],
  ['slightly-stale', '2026-11-22T11:54:50Z'],
  ['future', '2026-11-22T12:07:00Z'],
  ['replayed', '2026-11-22T12:00:00Z'],
  ['doubled-timestamp', ['2026-11-22T11:53:50Z', '2026-11-22T12:00:00Z']],
] as const)('the tampered delivery %s has the timestamp %s', (name, timestamp) => {
  const factory = createFactory(schemes.svc);
  const { headers } = getTamperedDelivery(name).create(factory, event);
  expect(headers['Service-Timestamp']).toEqual(timestamp);
});

it('the tampered delivery truncated-signature has the first half of the digest', () => {
  const factory = createFactory(schemes.svc);
  const whole = factory.sign(event).headers['Service-Signature'] ?? '';
  const { headers } = getTamperedDelivery('truncated-signature').create(factory, event);
  expect(headers['Service-Signature']).toHaveLength('v1='.length + 32);
  expect(whole.startsWith(String(headers['Service-Signature']))).toBe(true);
});

it('each tampered delivery is a check and a variation', () => {
  const ids: readonly string[] = listChecks(schemes.svc, null).map(({ id }) => id);
  expect(listAttacks(schemes.svc)).toEqual(attackNames);
  expect(attackNames.map((name) => getTamperedDelivery(name).id).filter((id) => !ids.includes(id))).toEqual(
    [],
  );
});
