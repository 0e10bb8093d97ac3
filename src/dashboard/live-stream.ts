/**
 * The live stream of the emulator. The tabs of a browser share one, because browsers open only six connections to a host:
 * the tab that holds a lock follows the stream and sends what it receives to the others. The stream covers all workspaces, so
 * the tabs can show different ones. Items are delivered in batches, because rendering each of hundreds per second is too slow.
 */
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { StreamPosition } from '../client/follow-stream.ts';
import type { StreamItem } from '../contract/stream-schemas.ts';
import { sleep, withAnySignal } from '../timers.ts';
import { createControl, hasLoadedBeforeStream, isConnected } from './control.ts';

/** Time from the first item of a batch until the batch is delivered. */
const BATCH_MS = 100;
/** Minimum time between two batches: with many items, rendering and painting takes most of the processor time. */
const BATCH_INTERVAL_MS = 400;
/** A page that has missed more changes than this loads its data again. */
const MAX_MISSED = 5_000;
/** Pauses before a new connection. Each is twice as long as the one before. */
const MIN_PAUSE_MS = 250;
const MAX_PAUSE_MS = 5_000;
/** Contains the URL of this script: tabs with another version of the page may send other messages. */
const SHARED_NAME = `svc live stream ${import.meta.url}`;

/**
 * An item of the stream. A `reset` with `isGap` means only that this page has missed items: what it shows may have changed, but
 * the emulator was not necessarily reset.
 */
export type LiveItem = StreamItem & { readonly isGap?: boolean };

type Listener = (items: readonly LiveItem[]) => void;

/** A sequence in the change feed of one database. Sequences of different databases cannot be compared. */
interface Position {
  /** ID of the database. */
  readonly store: string;
  readonly sequence: number;
}

/** What the tab that follows the stream sends to the others, and applies itself. */
interface StreamUpdate {
  readonly isConnected: boolean;
  /** The end of `items`; null before the first connection. */
  readonly position: Position | null;
  /** The sequence before the first of `items`; null when changes before them were skipped. */
  readonly after: number | null;
  readonly items: readonly StreamItem[];
}

/** Asks the tab that follows the stream to send an update, so that a new tab has its position and connection status. */
const STATE_REQUEST = 'state';

const listeners = new Set<Listener>();
/** Items that this tab has received from the emulator since the last update. */
let batch: StreamItem[] = [];
/** `performance.now()` at the end of the latest batch. */
let lastBatchAt = 0;
/** The listeners have received everything up to here; null before the first update. */
let position: Position | null = null;
/** Whether this tab follows the stream. */
let isFollowing = false;

/** ID of the database that the emulator uses; null before the first update. */
export const storeId = signal<string | null>(null);

/** Ends following the stream, or waiting for the lock. Replaced each time the page becomes visible or hidden. */
let followController = new AbortController();

/** Only secure contexts have Web Locks. Elsewhere, each visible tab follows the stream on its own. */
const locks: LockManager | undefined = navigator.locks;
const channel = locks === undefined ? null : new BroadcastChannel(SHARED_NAME);

/** Follows the stream while the page is visible. A hidden page only receives what other tabs send. */
export function openLiveStream(): void {
  channel?.addEventListener('message', ({ data }: MessageEvent<StreamUpdate | typeof STATE_REQUEST>) => {
    if (data !== STATE_REQUEST) applyUpdate(data);
    else if (isFollowing && isConnected.value !== null)
      channel.postMessage(createUpdate([], { isConnected: isConnected.value }));
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
  else locks.request(SHARED_NAME, { signal }, () => followUntil(signal)).catch(noop);
}

/** Follows the stream and connects again with increasing pauses, until `signal` is aborted. */
async function followUntil(signal: AbortSignal): Promise<void> {
  isFollowing = true;
  let failures = 0;
  while (!signal.aborted) {
    const restart = new AbortController();
    try {
      await withAnySignal([signal, restart.signal], (end) =>
        followFromPosition(end, (isContinued) => {
          failures = 0;
          // The open connection sends the changes after the old position. The next one starts at the new position.
          if (!isContinued) restart.abort();
        }),
      );
    } catch {
      // The first connection failed or was rejected.
      publish(createUpdate([], { isConnected: false }));
    }
    if (!restart.signal.aborted) await sleep(Math.min(MIN_PAUSE_MS * 2 ** failures++, MAX_PAUSE_MS), signal);
  }
  isFollowing = false;
}

/**
 * Follows the stream from the position of the listeners. Restores a lost connection itself.
 * @param onReady called for each connection, with whether it continues at that position
 */
async function followFromPosition(
  signal: AbortSignal,
  onReady: (isContinued: boolean) => void,
): Promise<void> {
  const control = createControl({
    onReady: (ready) => {
      flush();
      const isContinued = position === null || canContinueAt(ready);
      publish(position !== null && isContinued ? createUpdate([]) : createUpdateAt(ready));
      onReady(isContinued);
    },
    onDisconnect: () => {
      flush();
      publish(createUpdate([], { isConnected: false }));
    },
  });
  for await (const item of control.stream({ since_sequence: position?.sequence }, signal)) {
    if (signal.aborted) break;
    if (batch.length === 0)
      setTimeout(flush, Math.max(BATCH_MS, lastBatchAt + BATCH_INTERVAL_MS - performance.now()));
    batch.push(item);
  }
  flush();
}

/** False for another database, for one that has lost its latest changes, and when this page missed too many changes. */
function canContinueAt({ store, newest }: StreamPosition): boolean {
  if (position?.store !== store) return false;
  const missed = newest - position.sequence;
  return missed >= 0 && missed <= MAX_MISSED;
}

/** An update without items that moves the listeners to the newest position. */
function createUpdateAt({ store, newest }: StreamPosition): StreamUpdate {
  return { isConnected: true, position: { store, sequence: newest }, after: null, items: [] };
}

/** An update with the items that directly follow the position of the listeners. */
function createUpdate(items: readonly StreamItem[], { isConnected } = { isConnected: true }): StreamUpdate {
  const end = items.at(-1)?.sequence;
  return {
    isConnected,
    position: position && { ...position, sequence: end ?? position.sequence },
    after: position?.sequence ?? null,
    items,
  };
}

function flush(): void {
  if (batch.length === 0) return;
  const items = batch;
  batch = [];
  lastBatchAt = performance.now();
  publish(createUpdate(items));
}

function publish(update: StreamUpdate): void {
  channel?.postMessage(update);
  applyUpdate(update);
}

/** Delivers the items that the listeners have not received, or a reset if items are missing. */
function applyUpdate({ isConnected: isUp, position: next, after, items }: StreamUpdate): void {
  const previous = position;
  position = next ?? previous;
  storeId.value = position?.store ?? null;
  isConnected.value = isUp;
  if (next === null || (previous === null && !hasLoadedBeforeStream)) {
    // Before the first connection there are no items. A page that has not loaded data yet cannot miss a change.
    deliver(items);
  } else if (
    previous === null ||
    next.store !== previous.store ||
    after === null ||
    after > previous.sequence
  ) {
    // Without a position, this page has loaded its data from the same database before the stream was open.
    const isGap = previous === null || next.store === previous.store;
    deliver([{ type: 'reset', sequence: next.sequence, isGap }]);
  } else {
    // This tab may have received more than the tab that follows the stream now. Then it keeps its own position.
    if (next.sequence < previous.sequence) position = previous;
    deliver(items.filter(({ sequence }) => sequence > previous.sequence));
  }
}

function deliver(items: readonly LiveItem[]): void {
  if (items.length === 0) return;
  for (const listener of listeners) listener(items);
}

function noop(): void {}
