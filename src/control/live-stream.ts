/**
 * What happens, in order: read from the store, where it stands before anybody is told. A follower that is slow or
 * that comes back after a break simply reads on from the last item that it has seen, so none is lost or repeated.
 */
import {
  type StreamInput,
  type StreamItem,
  StreamInput as StreamSchema,
  type StreamTopic,
} from '../contract/stream-schemas.ts';
import { validate } from '../contract/validate.ts';
import { parseRelativeTime } from '../domain/relative-time.ts';
import type { ListenerEndpoints } from '../sandbox/listener-endpoints.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { getWebhookRow } from '../sandbox/webhooks.ts';
import { setImmediate } from '../timers.ts';
import { toDeliveryFilter } from './store-filters.ts';
import { BATCH_SIZE, type StreamFeed } from './stream-feed.ts';
import { isTooOld, type StreamSelection } from './stream-selection.ts';

const ALL_TYPES = ['delivery', 'attempt', 'request'] as const satisfies ReadonlyArray<StreamTopic>;

/** Where a follower begins. */
interface StreamStart {
  /** It is told what comes after this sequence. */
  readonly after: number;
  /** The last renewal of the store that it knows of: one who resumes knows none of after its last item. */
  readonly renewedSeq: number;
}

/**
 * Follows the store from after `since_sequence`, from `since`, or from now on, until `signal` is aborted.
 * @throws SvcError for input that is not valid, or a filter by something that does not exist.
 */
export function createLiveStream(
  sandbox: Sandbox,
  listenerEndpoints: ListenerEndpoints,
  feed: StreamFeed,
  input: StreamInput,
  signal: AbortSignal,
): AsyncIterable<StreamItem> {
  const {
    types,
    listener = [],
    since_sequence,
    since,
    until,
    text,
    ...selection
  } = validate(StreamSchema, input, 'invalid_request');
  const { store, wall } = sandbox;
  const filter = toDeliveryFilter(sandbox, { ...selection, since, until, text });
  const past =
    since === undefined || since_sequence !== undefined
      ? null
      : {
          newest: store.lastVisibleSeq,
          wall: parseRelativeTime(since, wall.now()),
          schedule: filter.since ?? 0,
        };
  const bound =
    until === undefined ? null : { wall: parseRelativeTime(until, wall.now()), schedule: filter.until ?? 0 };
  const after =
    since_sequence ?? (past === null ? store.lastVisibleSeq : store.changeFeed.findLastSeqBefore(past.wall));
  for (const id of listener) getWebhookRow(sandbox, id);
  const followUntil = (end: AbortSignal) =>
    follow(
      sandbox,
      feed,
      new Set(types ?? ALL_TYPES),
      { ...selection, listener, past, until: bound, text: filter.text },
      { after, renewedSeq: since_sequence || store.renewedSeq },
      end,
    );
  if (listener.length === 0) return followUntil(signal);
  return followHeldListeners(sandbox, listenerEndpoints, listener, signal, followUntil);
}

/** Ends as well when a reset has taken the endpoints away, so that the follower can see that it has lost them. */
async function* followHeldListeners(
  { bus, store }: Sandbox,
  listenerEndpoints: ListenerEndpoints,
  ids: readonly string[],
  signal: AbortSignal,
  followUntil: (end: AbortSignal) => AsyncGenerator<StreamItem>,
): AsyncGenerator<StreamItem> {
  const lost = new AbortController();
  const releases = ids.map((id) => listenerEndpoints.acquire(id));
  releases.push(
    bus.subscribe(({ type }) => {
      if (type === 'state_replaced' && ids.some((id) => store.webhooks.find(id) === undefined)) lost.abort();
    }),
  );
  const release = () => {
    for (const each of releases) each();
  };
  // A follower that is gone asks for no further item, which alone would end the iteration.
  signal.addEventListener('abort', release);
  try {
    yield* followUntil(AbortSignal.any([signal, lost.signal]));
  } finally {
    signal.removeEventListener('abort', release);
    release();
  }
}

async function* follow(
  { store }: Sandbox,
  feed: StreamFeed,
  types: ReadonlySet<StreamTopic>,
  selection: StreamSelection,
  start: StreamStart,
  signal: AbortSignal,
): AsyncGenerator<StreamItem> {
  let { after: last, renewedSeq } = start;
  for (;;) {
    // Also to those whose endpoints are no more: it is the last that they hear. What a snapshot has brought is no news.
    if (store.renewedSeq > renewedSeq) {
      renewedSeq = last = store.renewedSeq;
      yield { type: 'reset', sequence: last };
    }
    if (signal.aborted) return;
    const batch = feed.listAfter(last, types);
    for (const change of batch) {
      last = change.seq;
      const item = feed.find(change, selection);
      if (item !== null && !isTooOld(item, selection.past)) yield item;
      if (signal.aborted) break;
    }
    // Nothing can be committed between that look and this wait: both are of one turn of the loop.
    if (batch.length === 0) await feed.waitForCommit(signal);
    // There is more to look through, of which nothing may be told: others have their turn between.
    else if (batch.length === BATCH_SIZE) await new Promise((resolve) => setImmediate(resolve));
  }
}
