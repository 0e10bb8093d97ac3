/**
 * The live stream of the emulator. The tabs of a browser share one, because browsers open only six connections to a host:
 * the tab that holds a lock follows the stream and sends what it receives to the others. When another tab takes over, all of
 * them load their data again. Items are delivered in batches, because rendering each of hundreds per second is too slow.
 */
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { StreamItem } from '../contract/stream-schemas.ts';
import { sleep } from '../timers.ts';
import { createControl, hasLoadedBeforeStream, isConnected } from './control.ts';

/** Time between two batches: with many items, rendering and painting takes most of the processor time. */
const BATCH_MS = 400;
/** A batch that follows a pause is delivered sooner. */
const FIRST_BATCH_MS = 100;
/** Pauses before a new connection. Each is twice as long as the one before. */
const MIN_PAUSE_MS = 250;
const MAX_PAUSE_MS = 5_000;
/** Contains the URL of this script: tabs with another version of the page may send other messages. */
const SHARED_NAME = `svc live stream ${import.meta.url}`;

/** An item of the stream. A `reset` with `isGap` means only that this page has missed items: the emulator may not have been reset. */
export type LiveItem = StreamItem & { readonly isGap?: boolean };

type Listener = (items: readonly LiveItem[]) => void;

/** What the tab that follows the stream sends to the others, and applies itself. */
interface StreamUpdate {
  readonly isConnected: boolean;
  /** ID of the database; null before the first connection. */
  readonly store: string | null;
  readonly items: readonly StreamItem[];
  /** Whether the page may have missed items since it loaded its data or since another tab stopped following. */
  readonly isNewConnection: boolean;
}

/** Asks the tab that follows the stream for its state, which a new tab does not know. */
const STATE_REQUEST = 'state';

const listeners = new Set<Listener>();

/** ID of the database that the emulator uses; null before the first update. */
export const storeId = signal<string | null>(null);

/** Ends following the stream, or waiting for the lock. Replaced each time the page becomes visible or hidden. */
let followController = new AbortController();
let isFollowing = false;

/** Only secure contexts have Web Locks. Elsewhere, each visible tab follows the stream on its own. */
const locks: LockManager | undefined = navigator.locks;
const channel = locks === undefined ? null : new BroadcastChannel(SHARED_NAME);

/** Follows the stream while the page is visible. A hidden page only receives what other tabs send. */
export function openLiveStream(): void {
  channel?.addEventListener('message', ({ data }: MessageEvent<StreamUpdate | typeof STATE_REQUEST>) => {
    if (data !== STATE_REQUEST) applyUpdate(data);
    else if (isFollowing && isConnected.value !== null)
      channel.postMessage(createUpdate({ isConnected: isConnected.value }));
  });
  document.addEventListener('visibilitychange', followWhileVisible);
  followWhileVisible();
}

/**
 * Calls `listener` with each batch, in order.
 * @returns a function that unsubscribes
 */
export function subscribe(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Subscribes for the lifetime of the component. */
export function useLiveItems(listener: Listener): void {
  const latestListener = useRef(listener);
  latestListener.current = listener;
  useEffect(() => {
    return subscribe((items) => latestListener.current(items));
  }, []);
}

function followWhileVisible(): void {
  followController.abort();
  followController = new AbortController();
  const { signal } = followController;
  channel?.postMessage(STATE_REQUEST);
  if (document.hidden) return;
  if (locks === undefined) void followUntil(signal);
  // Rejects when the page becomes hidden before it gets the lock.
  else locks.request(SHARED_NAME, { signal }, () => followUntil(signal)).catch(() => {});
}

/** Follows the stream and connects again with increasing pauses, until `signal` is aborted. */
async function followUntil(signal: AbortSignal): Promise<void> {
  isFollowing = true;
  for (let failures = 0; !signal.aborted; failures++) {
    await follow(signal, () => {
      failures = 0;
    }).catch(() => {});
    if (signal.aborted) break;
    // The first connection failed or was rejected.
    publish({ isConnected: false });
    await sleep(Math.min(MIN_PAUSE_MS * 2 ** failures, MAX_PAUSE_MS), signal);
  }
  isFollowing = false;
}

/** Follows the stream from now on. Restores a lost connection itself. */
async function follow(signal: AbortSignal, onReady: () => void): Promise<void> {
  let batch: StreamItem[] = [];
  let lastBatchAt = 0;
  const flush = () => {
    if (batch.length === 0) return;
    publish({ items: batch });
    batch = [];
    lastBatchAt = performance.now();
  };
  const control = createControl({
    onReady: ({ store }) => {
      onReady();
      publish({ store, isNewConnection: true });
    },
    onDisconnect: () => {
      flush();
      publish({ isConnected: false });
    },
  });
  try {
    for await (const item of control.stream({}, signal)) {
      if (batch.length === 0)
        setTimeout(flush, Math.max(FIRST_BATCH_MS, lastBatchAt + BATCH_MS - performance.now()));
      batch.push(item);
    }
  } finally {
    flush();
  }
}

function createUpdate(fields: Partial<StreamUpdate>): StreamUpdate {
  return { isConnected: true, store: storeId.peek(), items: [], isNewConnection: false, ...fields };
}

function publish(fields: Partial<StreamUpdate>): void {
  const update = createUpdate(fields);
  channel?.postMessage(update);
  applyUpdate(update);
}

function applyUpdate({ isConnected: isUp, store, items, isNewConnection }: StreamUpdate): void {
  // A page that has not loaded data yet has missed nothing.
  const hasMissed = isConnected.peek() === null ? isUp && hasLoadedBeforeStream : isNewConnection;
  // This tab may know another database than the one that follows the stream, which may know none yet.
  const isGap = storeId.peek() === null || storeId.peek() === store;
  if (store !== null) storeId.value = store;
  isConnected.value = isUp;
  const delivered: readonly LiveItem[] = hasMissed
    ? [{ type: 'reset', sequence: 0, isGap }, ...items]
    : items;
  if (delivered.length === 0) return;
  for (const listener of listeners) listener(delivered);
}
