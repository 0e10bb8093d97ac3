import { signal } from '@preact/signals';

/** Whether the live stream stands; null before it has for the first time. */
export const isConnected = signal<boolean | null>(null);
