/** Signals that abort after a time, or with another signal. */
import type { setMaxListeners as SetMaxListeners } from 'node:events';
import { setTimeout } from './timers.ts';

interface ProcessWithModules {
  getBuiltinModule?(id: 'node:events'): { readonly setMaxListeners: typeof SetMaxListeners };
}

// Not an import: the dashboard loads this file in a browser.
const { process } = globalThis as { process?: ProcessWithModules };
const setMaxListeners = process?.getBuiltinModule?.('node:events').setMaxListeners;

/**
 * A signal that aborts after `ms` and does not keep the process alive. Not `AbortSignal.timeout`, whose signal Node.js 20 can
 * garbage-collect before it aborts.
 */
export function abortAfter(ms: number): AbortSignal {
  const controller = new AbortController();
  const abort = () => controller.abort(new DOMException(`Timed out after ${ms} ms.`, 'TimeoutError'));
  // The timers of a browser have no `unref`.
  setTimeout(abort, ms).unref?.();
  return controller.signal;
}

/**
 * A controller that also aborts with the first of `signals`. Call `abort` at the end of the work: it also
 * removes the listeners. Not `AbortSignal.any`: in Node.js 20, its result stays in memory as long as the signal that lives
 * longest, such as that of the emulator.
 */
export function createLinkedController(signals: readonly AbortSignal[]): AbortController {
  const controller = new AbortController();
  // Any number of requests can listen to it. Node.js would warn about more than ten.
  setMaxListeners?.(0, controller.signal);
  for (const signal of signals) {
    const abort = () => controller.abort(signal.reason);
    signal.addEventListener('abort', abort, { signal: controller.signal });
    if (signal.aborted) abort();
  }
  return controller;
}

/** Yields the items, and aborts `controller` when the iteration ends, fails or is left. */
export async function* abortAtEnd<T>(
  items: AsyncIterable<T>,
  controller: AbortController,
): AsyncGenerator<T, undefined> {
  try {
    yield* items;
  } finally {
    controller.abort();
  }
}

/** Runs `task` with a signal that aborts with the first of `signals`, and at the end of the task. */
export async function withAnySignal<T>(
  signals: readonly AbortSignal[],
  task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = createLinkedController(signals);
  try {
    return await task(controller.signal);
  } finally {
    controller.abort();
  }
}
