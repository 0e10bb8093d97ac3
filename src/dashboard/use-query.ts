/** Loads data for a component and tracks its state. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { useReconnection } from './connection.ts';
import { toErrorMessage } from './error-message.ts';

export interface Query<Value> {
  /** The latest result. It stays during a refetch; undefined before the first result. */
  readonly value: Value | undefined;
  /** The error message of the last request; null when it succeeded. */
  readonly error: string | null;
  readonly isLoading: boolean;
  readonly refetch: () => void;
}

/**
 * Runs `fetch` when the component mounts, when one of `dependencies` changes, and when a lost connection is restored.
 * When responses arrive out of order, only the one to the latest request is used.
 */
export function useQuery<Value>(fetch: () => Promise<Value>, dependencies: readonly unknown[]): Query<Value> {
  const [state, setState] = useState<Omit<Query<Value>, 'refetch'>>(loadingState);
  const latestNumber = useRef(0);
  const latestFetch = useRef(fetch);
  latestFetch.current = fetch;
  const refetch = useCallback(() => {
    const number = ++latestNumber.current;
    setState((before) => ({ ...before, isLoading: true }));
    latestFetch.current().then(
      (value) => number === latestNumber.current && setState({ value, error: null, isLoading: false }),
      (error) =>
        number === latestNumber.current &&
        setState((before) => ({ ...before, error: toErrorMessage(error), isLoading: false })),
    );
  }, []);
  useEffect(() => {
    setState(loadingState);
    refetch();
    return () => void latestNumber.current++;
  }, dependencies);
  useReconnection(refetch);
  return { ...state, refetch };
}

const loadingState = { value: undefined, error: null, isLoading: true };
