import { senders } from '../../src/profile/senders.ts';
import type { CheckStatus } from '../../src/receivers/receiver-check.ts';
import { type CheckReport, type RunChecksOptions, runChecks } from '../../src/receivers/run-checks.ts';
import { API_KEY, SECRET } from './configurable-receiver.ts';

type CheckReceiverOptions = Pick<RunChecksOptions, 'url'> &
  Partial<RunChecksOptions> & {
    /** Returns the number of side effects, in place of `readSideEffects`. */
    readonly countSideEffects?: () => Promise<number>;
  };

/** Runs the checks with the secrets of the receivers of these tests. */
export function checkReceiver({ countSideEffects, ...options }: CheckReceiverOptions): Promise<CheckReport> {
  return runChecks({
    readSideEffects:
      countSideEffects === undefined ? null : async () => ({ count: await countSideEffects(), ids: null }),
    urlRule: 'local',
    secret: SECRET,
    sender: senders.svc,
    apiKey: API_KEY,
    only: [],
    strict: false,
    event: {
      type: 'order.shipped',
      payload: '{"order_id":"ord_1","street":"Schönhauser Allee 1/2"}',
    },
    now: Date.now,
    timeoutMs: 5_000,
    signal: new AbortController().signal,
    ...options,
  });
}

export function idsOf({ checks }: CheckReport, status: CheckStatus): string[] {
  return checks.filter((check) => check.status === status).map(({ id }) => id);
}

/** The checks that only side effects can decide. */
export const needsObserver = [
  'rejection.no-side-effect',
  'rejection.same-event',
  'deduplication.same-delivery',
  'deduplication.other-delivery',
  'deduplication.at-once',
  'deduplication.during-work',
  'deduplication.similar-ids',
  'deduplication.later',
  'deduplication.after-others',
];
