/**
 * The closed loop: an emulator with random values of the gaps is the service, and the check names exactly the
 * gaps that were changed.
 * SVC_PARITY_SERVICES sets the number of services (default: 6).
 */
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { isObject } from '../../src/domain/json.ts';
import { createRandomSource } from '../../src/domain/secret.ts';
import { signatureHeaderFormats } from '../../src/profile/gaps/signature-gaps.ts';
import type { ConfigurableGapId } from '../../src/profile/gaps.ts';
import { applyOverrides, type Overrides } from '../../src/profile/resolve-rules.ts';
import { mergeOverrides } from '../../src/recordings/check-gaps.ts';
import { searchedTemplates } from '../../src/recordings/signature-evidence.ts';
import { checkRecording, recordService } from './recorded-service.ts';

const SERVICES = Number(process.env.SVC_PARITY_SERVICES ?? 6);

type Pick = <Item>(items: readonly Item[]) => Item;

const delays = ['30s', '1m', '5m', '10m', '15m', '30m', '1h', '2h', '4h', '8h', '12h', '24h'];

/** Waits that get longer, with few enough attempts until the end of the retry window. */
function pickSchedule(pick: Pick): string[] {
  const start = pick([0, 1, 2, 3, 4]);
  const count = pick([2, 3, 4, 5]);
  const schedule = delays.slice(start, start + count);
  return [...schedule, pick(['8h', '12h', '24h'])];
}

/** A random value of each gap that a recording can show. */
const randomValues: Readonly<Record<string, (pick: Pick) => unknown>> = {
  'signature.content': (pick) => pick(searchedTemplates),
  'signature.algorithm': (pick) => ({
    hash: pick(['sha256', 'sha512', 'sha1']),
    key: pick(['utf8', 'utf8_without_prefix', 'base64', 'hex']),
  }),
  'signature.header': (pick) => pick(Object.keys(signatureHeaderFormats)),
  'signature.timestamp': (pick) => pick(['iso8601', 'unix', 'unix_ms']),
  'event.body': (pick) => pick(['payload', 'data']),
  'event.catalog': (pick) => pick(['open', 'closed']),
  'webhook.url': (pick) => pick(['local', 'public']),
  'webhook.wildcard': (pick) => pick(['accepted', 'rejected']),
  'retry.schedule': pickSchedule,
  'retry.jitter': (pick) => pick([0, 0.05, 0.1, 0.2, 0.25, 0.3, 0.5]),
  'retry.after': (pick) => pick(['honored', 'ignored']),
  'retry.410': (pick) => pick(['failure', 'stop']),
  'idempotency.scope': (pick) => ({
    unique_within: pick(['api_key_method_path', 'api_key']),
    retention: pick(['1m', '5m', '10m', '30m', '1h', '2h', '3h', '6h', '12h', '24h', '2d']),
  }),
  'list.workspace': (pick) => pick(['workspace_id', 'workspace']),
  'list.limit': (pick) => ({ default: pick([5, 10, 20, 25, 40]), max: pick([40, 50, 100, 200, 500, 1000]) }),
  'body.limit': (pick) => pick(['4KiB', '64KiB', '100KiB', '256KiB', '512KiB', '1MiB']),
};

function pickOverrides(seed: number): Overrides {
  const random = createRandomSource(seed, 'services');
  const pick: Pick = (items) => items[Math.floor(random.next() * items.length)] as never;
  return Object.fromEntries(
    Object.entries(randomValues).flatMap(([gap, pickValue]) =>
      random.next() < 0.5 ? [[gap, pickValue(pick)]] : [],
    ),
  );
}

/** The parsed value of each gap that an override changes. A repeated last wait is the same schedule. */
function toChanges(overrides: Overrides): Record<string, unknown> {
  const [values, defaults] = [overrides, {}].map((each) => applyOverrides('relaxed', each, 'sandbox'));
  const toValue = (value: unknown) => {
    if (!Array.isArray(value)) return value;
    return value.filter((wait, index) => index === 0 || wait !== value[index - 1]);
  };
  const entries = (Object.keys(overrides) as ConfigurableGapId[]).flatMap((gap) => {
    const [value, unchanged] = [values, defaults].map((each) => toValue(each?.[gap]?.parsedValue));
    return isDeepStrictEqual(value, unchanged) ? [] : [[gap, value]];
  });
  return Object.fromEntries(entries);
}

/** The gaps whose value a recording does not show, only that it is another one. */
const withoutValue = ['retry.jitter', 'idempotency.scope', 'list.limit', 'body.limit'];

/** The fields whose values are not shown, while other ones of the same gaps can be. */
function unshown({ 'idempotency.scope': scope, 'list.limit': limit }: Overrides): Overrides {
  return {
    ...(isObject(scope) ? { 'idempotency.scope': { retention: scope.retention } } : {}),
    ...(isObject(limit) ? { 'list.limit': { max: limit.max } } : {}),
  };
}

describe('svc gaps check', () => {
  it.each(Array.from({ length: SERVICES }, (_, index) => index + 1))(
    'the check names exactly the changed gaps of random service %i',
    async (seed) => {
      const overrides = pickOverrides(seed);
      const { text, secrets } = await recordService(overrides, seed);
      const report = await checkRecording(text, { secrets });
      const changes = toChanges(overrides);
      const different = report.data.filter(({ verdict }) => verdict === 'different');
      const named = different.map(({ gap }) => gap);
      expect(named.toSorted(), JSON.stringify(overrides)).toEqual(
        Object.keys(changes)
          // Waits that vary do not show the schedule, and a missing retry does not show why it is missing.
          .filter((gap) => gap !== 'retry.schedule' || !('retry.jitter' in changes))
          .filter((gap) => gap !== 'retry.410')
          .sort(),
      );
      const found = toChanges(mergeOverrides(unshown(overrides), report.data));
      expect(changes).toMatchObject(found);
      expect(Object.keys(found)).toEqual(
        expect.arrayContaining(named.filter((gap) => !withoutValue.includes(gap))),
      );
      expect(report.other).toEqual([]);
      expect(report.notes).toEqual([]);

      const again = await checkRecording(text, { secrets, overrides });
      expect(again.data.filter(({ verdict }) => verdict === 'different')).toEqual([]);
    },
  );
});
