/** Loads data for a component and tracks its state. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { useReconnection } from './connection.ts';
import { toErrorMessage } from './error-message.ts';

export interface Query<Value> {
  /** The latest result. It stays while it is loaded again; undefined before the first result. */
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
export function useQuery<Value>(ask: () => Promise<Value>, dependencies: readonly unknown[]): Query<Value> {
  const [state, setState] = useState<Omit<Query<Value>, 'refetch'>>(loadingState);
  const newest = useRef(0);
  const question = useRef(ask);
  question.current = ask;
  const again = useCallback(() => {
    const number = ++newest.current;
    setState((before) => ({ ...before, isLoading: true }));
    question.current().then(
      (value) => number === newest.current && setState({ value, error: null, isLoading: false }),
      (error) =>
        number === newest.current &&
        setState((before) => ({ ...before, error: toErrorMessage(error), isLoading: false })),
    );
  }, []);
  useEffect(() => {
    setState(loadingState);
    again();
    return () => void newest.current++;
  }, dependencies);
  useReconnection(again);
  return { ...state, refetch: again };
}

const loadingState = { value: undefined, error: null, isLoading: true };
