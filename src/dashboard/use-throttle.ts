import { useEffect, useRef } from 'preact/hooks';

/**
 * Limits how often `run` is called.
 * @returns a function that calls `run` immediately, then at most once per `intervalMs`
 */
export function useThrottle(run: () => void, intervalMs: number): () => void {
  const latest = useRef(run);
  latest.current = run;
  const state = useRef({ timer: 0, isCallPending: false });
  useEffect(() => () => clearTimeout(state.current.timer), []);
  return () => runThrottled(latest, state.current, intervalMs);
}

function runThrottled(
  run: { current: () => void },
  state: { timer: number; isCallPending: boolean },
  ms: number,
): void {
  if (state.timer !== 0) {
    state.isCallPending = true;
    return;
  }
  run.current();
  state.timer = window.setTimeout(() => {
    const { isCallPending } = state;
    state.timer = 0;
    state.isCallPending = false;
    if (isCallPending) runThrottled(run, state, ms);
  }, ms);
}
