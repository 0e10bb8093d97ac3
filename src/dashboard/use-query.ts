/** What a component asks the emulator for, and where the answer stands. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { useReconnection } from './connection.ts';
import { toErrorMessage } from './error-message.ts';

export interface Query<Value> {
  /** The newest answer; stays while it is asked for again. Undefined before the first. */
  readonly value: Value | undefined;
  /** Why the last question failed, for people; null when it did not. */
  readonly error: string | null;
  readonly isLoading: boolean;
  /** Asks again. */
  readonly refetch: () => void;
}

/**
 * Asks when the component appears, whenever one of `dependencies` changes, and when a lost connection is back. Of
 * answers that overtake each other, the one to the newest question counts.
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
