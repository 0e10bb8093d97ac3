/** Messages of errors, and short messages about the result of an action, also announced to screen readers. */
import { signal } from '@preact/signals';
import { SvcError } from '../domain/errors.ts';

interface Toast {
  readonly number: number;
  readonly text: string;
  readonly isError: boolean;
}

const SHOWN_MS = 6_000;

export const toasts = signal<readonly Toast[]>([]);
let count = 0;

export function showToast(text: string): void {
  const number = addToast({ text, isError: false });
  setTimeout(() => dismissToast(number), SHOWN_MS);
}

/** A message that stays until the user dismisses it. */
export function showNotice(text: string): void {
  addToast({ text, isError: false });
}

/** An error stays until the user dismisses it or goes to another page. */
export function showErrorToast(text: string): void {
  addToast({ text, isError: true });
}

function addToast(toast: Omit<Toast, 'number'>): number {
  const number = ++count;
  toasts.value = [...toasts.peek(), { number, ...toast }];
  return number;
}

export function dismissToast(number: number): void {
  toasts.value = toasts.peek().filter((toast) => toast.number !== number);
}

/** An error belongs to the page on which it occurred. */
export function dismissErrors(): void {
  toasts.value = toasts.peek().filter(({ isError }) => !isError);
}

/**
 * Shows a toast when `action` fails.
 * @returns undefined when it failed
 */
export async function withErrorToast<Value>(action: Promise<Value>): Promise<Value | undefined> {
  try {
    return await action;
  } catch (error) {
    showErrorToast(toErrorMessage(error));
    return undefined;
  }
}

export function toErrorMessage(error: unknown): string {
  if (!(error instanceof SvcError)) return String(error);
  return error.code === 'no_emulator'
    ? 'The emulator is not responding. Check that it is running.'
    : error.message;
}
