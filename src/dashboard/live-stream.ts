/**
 * The live stream of the emulator, one for the whole page. Items reach the views in batches: two hundred a second are
 * two hundred changes of the page otherwise.
 */
import { useEffect, useRef } from 'preact/hooks';
import type { StreamItem } from '../contract/stream-schemas.ts';
import { isConnected } from './connection.ts';
import { control } from './control.ts';

/** Long enough to gather, short enough to look immediate. A tab in the background is woken once a second. */
const BATCH_MS = 100;

type Listener = (items: readonly StreamItem[]) => void;

const listeners = new Set<Listener>();
let batch: StreamItem[] = [];

/** Follows for as long as the page is open, over every lost connection. */
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
      // The first connection failed, or the emulator refuses this page: it may be another one in a moment.
      isConnected.value = false;
    }
    await new Promise((resolve) => setTimeout(resolve, Math.min(250 * 2 ** failures, 5_000)));
  }
}

/** Calls `listener` with what happens, in order, until what it returns is called. */
export function subscribe(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** The same for as long as the component is there. */
export function useLiveItems(listener: Listener): void {
  const latest = useRef(listener);
  latest.current = listener;
  useEffect(() => {
    return subscribe((items) => latest.current(items));
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
