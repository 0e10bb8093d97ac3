import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

/** Whether the live stream stands; null before it has for the first time. */
export const isConnected = signal<boolean | null>(null);

/** Calls `look` when a lost connection is back: what was shown before may be of an emulator that is gone. */
export function useReconnection(look: () => void): void {
  const wasLost = useRef(false);
  const { value: stands } = isConnected;
  useEffect(() => {
    if (stands && wasLost.current) look();
    wasLost.current = stands === false;
  }, [stands]);
}
