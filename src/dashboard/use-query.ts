/** Loads data for a component, and loads it again when it may have changed. */
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isLost, onPoll } from './control.ts';
import { toErrorMessage } from './toasts.ts';

export interface Query<Value> {
  /** The latest result. It stays during a refetch; undefined before the first result. */
  readonly value: Value | undefined;
  /** The error message of the last request; null when it succeeded. */
  readonly error: string | null;
  readonly refetch: () => void;
}

interface QueryOptions {
  /** Whether the data can change while the page shows it. */
  readonly isLive?: boolean;
}

const initialState = { value: undefined, error: null };

/**
 * Runs `fetch` when the component mounts, when one of `dependencies` changes, when a lost connection is restored, and, if the
 * data is live, with each poll. When responses arrive out of order, only the one to the latest request is used.
 */
export function useQuery<Value>(
  fetch: () => Promise<Value>,
  dependencies: readonly unknown[],
  { isLive = false }: QueryOptions = {},
): Query<Value> {
  const [state, setState] = useState<Omit<Query<Value>, 'refetch'>>(initialState);
  const latest = useRef({ fetch, requestNumber: 0, isPending: false, json: '' });
  latest.current.fetch = fetch;
  const refetch = useCallback(async () => {
    const number = ++latest.current.requestNumber;
    latest.current.isPending = true;
    const response = await latest.current.fetch().then(
      (value) => ({ value, error: null }),
      (error) => ({ error: toErrorMessage(error) }),
    );
    if (number !== latest.current.requestNumber) return;
    latest.current.isPending = false;
    const json = JSON.stringify(response);
    // The same data are not rendered again.
    if (json !== latest.current.json)
      setState((previous) => {
        // While the connection is lost, the page says that its data are old.
        const isOld = isLost.peek() && previous.value !== undefined;
        return { ...previous, ...response, ...(isOld && { error: null }) };
      });
    latest.current.json = json;
  }, []);
  // Runs before the browser paints, so that the result for other dependencies is never shown.
  useLayoutEffect(() => {
    setState(initialState);
    latest.current.json = '';
    return () => void latest.current.requestNumber++;
  }, dependencies);
  useEffect(() => void refetch(), dependencies);
  const wasLost = useRef(false);
  useEffect(() => {
    // Another emulator may run at the address now.
    if (wasLost.current && !isLost.value) void refetch();
    wasLost.current = isLost.value;
  }, [isLost.value]);
  useEffect(
    () =>
      onPoll(() => {
        if (isLive && !isLost.peek() && !latest.current.isPending) void refetch();
      }),
    [isLive],
  );
  return { ...state, refetch };
}
