import { schemes } from '../../src/domain/signature/schemes.ts';
import type { CheckStatus } from '../../src/receiver/receiver-check.ts';
import { type CheckReport, type RunChecksOptions, runChecks } from '../../src/receiver/run-checks.ts';
import { API_KEY, SECRET } from './configurable-receiver.ts';

type CheckReceiverOptions = Pick<RunChecksOptions, 'url'> &
  Partial<RunChecksOptions> & {
    /** Returns the number of effects, in place of `readEffects`. */
    readonly countEffects?: () => Promise<number>;
  };

/** Runs the checks with the secrets of the receivers of these tests. Work of 400 ms counts as slow. */
export function checkReceiver({ countEffects, ...options }: CheckReceiverOptions): Promise<CheckReport> {
  return runChecks({
    readEffects: countEffects === undefined ? null : async () => ({ count: await countEffects(), ids: null }),
    urlRule: 'local',
    secret: SECRET,
    scheme: schemes.svc,
    apiKey: API_KEY,
    only: [],
    strict: false,
    eventType: 'order.shipped',
    payload: '{"order_id":"ord_1","street":"Schönhauser Allee 1/2"}',
    now: Date.now,
    timeoutMs: 5_000,
    slowThresholdMs: 400,
    signal: new AbortController().signal,
    ...options,
  });
}

export function idsOf({ checks }: CheckReport, status: CheckStatus): string[] {
  return checks.filter((check) => check.status === status).map(({ id }) => id);
}

/** The checks that only effects can decide. */
export const needsObserver = [
  'rejection.no-effect',
  'rejection.same-event',
  'acceptance.before-work',
  'deduplication.same-delivery',
  'deduplication.other-delivery',
  'deduplication.at-once',
  'deduplication.during-work',
  'deduplication.similar-ids',
  'deduplication.later',
  'deduplication.after-others',
];
