import { useEffect, useRef } from 'preact/hooks';

/**
 * Limits how often `run` is called.
 * @returns a function that calls `run` immediately, then at most once per `intervalMs`
 */
export function useThrottle(run: () => void, intervalMs: number): () => void {
  const latest = useRef(run);
  latest.current = run;
  const state = useRef({ timer: 0, isWanted: false });
  useEffect(() => () => clearTimeout(state.current.timer), []);
  return () => call(latest, state.current, intervalMs);
}

function call(run: { current: () => void }, state: { timer: number; isWanted: boolean }, ms: number): void {
  if (state.timer !== 0) {
    state.isWanted = true;
    return;
  }
  run.current();
  state.timer = window.setTimeout(() => {
    const { isWanted } = state;
    state.timer = 0;
    state.isWanted = false;
    if (isWanted) call(run, state, ms);
  }, ms);
}
