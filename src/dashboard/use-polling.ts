import { useEffect, useRef } from 'preact/hooks';
import { isConnected } from './connection.ts';

const POLL_INTERVAL_MS = 3_000;

/** Polls while the page is visible, because the live stream does not announce every change. */
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
