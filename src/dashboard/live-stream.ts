/**
 * The live stream of the emulator, shared by the whole page. Items are delivered in batches, because rendering each of
 * hundreds per second is too slow.
 */
import { useEffect, useRef } from 'preact/hooks';
import type { StreamItem } from '../contract/stream-schemas.ts';
import { control, isConnected } from './control.ts';

/** Background tabs run timers only once per second. */
const BATCH_MS = 100;

type Listener = (items: readonly StreamItem[]) => void;

const listeners = new Set<Listener>();
let batch: StreamItem[] = [];

/** Keeps the stream open and reconnects with backoff. */
export async function openLiveStream(): Promise<void> {
  for (let failures = 0; ; failures++) {
    try {
      const stream = control.stream({}, new AbortController().signal);
      void stream.ready.then(() => {
        isConnected.value = true;
        failures = 0;
      }, noop);
      for await (const item of stream) enqueue(item);
    } catch {
      // The first connection failed or was rejected; retry.
      isConnected.value = false;
    }
    await new Promise((resolve) => setTimeout(resolve, Math.min(250 * 2 ** failures, 5_000)));
  }
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

function enqueue(item: StreamItem): void {
  if (batch.length === 0) setTimeout(flush, BATCH_MS);
  batch.push(item);
}

function flush(): void {
  const items = batch;
  batch = [];
  for (const listener of listeners) listener(items);
}

function noop(): void {}
