/** The connection to the control plane of the emulator that serves this page, and when the page loads its data again. */
import { computed, signal } from '@preact/signals';
import { type ControlRequest, createControlMethods } from '../client/control-client.ts';
import { toServerError } from '../client/parse-response.ts';
import { SvcError } from '../domain/errors.ts';

/** Whether the last request got a response; null before the first. */
export const isConnected = signal<boolean | null>(null);

export const isLost = computed(() => isConnected.value === false);

export const control = createControlMethods(send, `${location.origin}/_svc`);

/** Sends a request to the emulator, and notices whether it responds. */
export async function send({ url, signal, ...request }: ControlRequest): Promise<string> {
  const response = await fetch(url, { ...request, signal: signal ?? null }).catch((error) => {
    if (signal?.aborted) throw new SvcError('interrupted', 'Canceled.', { cause: error });
    isConnected.value = false;
    throw new SvcError('no_emulator', `Cannot connect to ${url.origin}.`, { cause: error });
  });
  isConnected.value = true;
  // The request may have changed what the page shows. A wait changes nothing.
  if (request.method !== 'GET' && !url.pathname.endsWith('/deliveries/wait')) pollSoon();
  const text = await response.text();
  if (response.ok) return text;
  throw toServerError({ status: response.status, text }, url.href);
}

const POLL_MS = 1_000;
const HIDDEN_POLL_MS = 10_000;
/** Time to wait for further changes. */
const CHANGE_MS = 50;

const listeners = new Set<() => void>();

/**
 * Calls `listener` each second while the page is visible, otherwise each ten seconds, and after each change by the page.
 * @returns a function that ends it
 */
export function onPoll(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function poll(): void {
  for (const listener of listeners) listener();
}

let isPollPending = false;

function pollSoon(): void {
  if (isPollPending) return;
  isPollPending = true;
  setTimeout(() => {
    isPollPending = false;
    poll();
  }, CHANGE_MS);
}

export function startPolling(): void {
  const pollIf = (isHidden: boolean) => () => {
    if (document.hidden === isHidden) poll();
  };
  setInterval(pollIf(false), POLL_MS);
  setInterval(pollIf(true), HIDDEN_POLL_MS);
  document.addEventListener('visibilitychange', pollIf(false));
}
