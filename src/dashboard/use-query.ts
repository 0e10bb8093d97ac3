/** Loads data for a component, and reloads it when it may have changed. */
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { StreamItem } from '../contract/stream-schemas.ts';
import { isConnected } from './control.ts';
import { useLiveItems } from './live-stream.ts';
import { toErrorMessage } from './toasts.ts';

export interface Query<Value> {
  /** The latest result. It stays during a refetch; undefined before the first result. */
  readonly value: Value | undefined;
  /** The error message of the last request; null when it succeeded. */
  readonly error: string | null;
  readonly refetch: () => void;
}

interface QueryOptions {
  /** Whether a stream item may have changed the result. */
  readonly refetchOn?: (item: StreamItem) => boolean;
  /** Polls as well, because the live stream does not announce every change. */
  readonly isPolled?: boolean;
  /** Shortest time between requests that stream items cause (default: 500). */
  readonly intervalMs?: number;
}

/** Minimum time between two requests that stream items cause. */
const REFETCH_INTERVAL_MS = 500;

/**
 * Runs `fetch` when the component mounts, when one of `dependencies` changes, and when a lost connection is restored.
 * When responses arrive out of order, only the one to the latest request is used.
 */
export function useQuery<Value>(
  fetch: () => Promise<Value>,
  dependencies: readonly unknown[],
  { refetchOn, isPolled = false, intervalMs = REFETCH_INTERVAL_MS }: QueryOptions = {},
): Query<Value> {
  const [state, setState] = useState<Omit<Query<Value>, 'refetch'>>(initialState);
  /** Number of the latest request. Responses to earlier requests are ignored. */
  const latestNumber = useRef(0);
  const latestFetch = useRef(fetch);
  latestFetch.current = fetch;
  const refetch = useCallback(() => {
    const number = ++latestNumber.current;
    latestFetch.current().then(
      (value) => number === latestNumber.current && setState({ value, error: null }),
      (error) =>
        number === latestNumber.current && setState(({ value }) => ({ value, error: toErrorMessage(error) })),
    );
  }, []);
  // Runs before the browser paints, so that the result for other dependencies is never shown.
  useLayoutEffect(() => {
    setState(initialState);
    return () => void latestNumber.current++;
  }, dependencies);
  // Runs together with the subscription to the live stream below, so that no change is missed between them.
  useEffect(refetch, dependencies);
  useReconnection(refetch);
  const refetchSoon = useThrottle(refetch, intervalMs);
  useLiveItems((items) => {
    if (refetchOn !== undefined && items.some(refetchOn)) refetchSoon();
  });
  usePolling(() => isPolled && refetch());
  return { ...state, refetch };
}

const initialState = { value: undefined, error: null };

/** Calls `onReconnect` when a lost connection is restored, because a different emulator may run at the address now. */
function useReconnection(onReconnect: () => void): void {
  const wasLost = useRef(false);
  const { value: isUp } = isConnected;
  useEffect(() => {
    if (isUp && wasLost.current) onReconnect();
    wasLost.current = isUp === false;
  }, [isUp]);
}

const POLL_INTERVAL_MS = 3_000;

/** Calls `poll` regularly while the page is visible and connected. */
export function usePolling(poll: () => void): void {
  const latest = useRef(poll);
  latest.current = poll;
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden && isConnected.peek()) latest.current();
    }, POLL_INTERVAL_MS);
    return () => clearInterval(timer);
  }, []);
}

/**
 * Limits how often `run` is called.
 * @returns a function that calls `run` immediately, then at most once per `intervalMs`
 */
export function useThrottle(run: () => void, intervalMs: number): () => void {
  const latest = useRef(run);
  latest.current = run;
  const state = useRef({ timer: 0, isCallPending: false });
  useEffect(() => () => clearTimeout(state.current.timer), []);
  const runThrottled = () => {
    if (state.current.timer !== 0) {
      state.current.isCallPending = true;
      return;
    }
    latest.current();
    state.current.timer = window.setTimeout(() => {
      const { isCallPending } = state.current;
      state.current = { timer: 0, isCallPending: false };
      if (isCallPending) runThrottled();
    }, intervalMs);
  };
  return runThrottled;
}
