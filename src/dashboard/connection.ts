import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

/** Whether the live stream is connected; null before the first connection. */
export const isConnected = signal<boolean | null>(null);

/** Calls `onReconnect` when a lost connection is restored, because a different emulator may run at the address now. */
export function useReconnection(onReconnect: () => void): void {
  const wasLost = useRef(false);
  const { value: isUp } = isConnected;
  useEffect(() => {
    if (isUp && wasLost.current) onReconnect();
    wasLost.current = isUp === false;
  }, [isUp]);
}
