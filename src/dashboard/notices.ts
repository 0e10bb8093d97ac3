/** Short messages about what somebody has just done, spoken by screen readers as well. */
import { signal } from '@preact/signals';
import { toMessage } from './message.ts';

interface Notice {
  readonly number: number;
  readonly text: string;
  readonly isError: boolean;
}

const SHOWN_MS = 6_000;

export const notices = signal<readonly Notice[]>([]);
let count = 0;

export function notify(text: string, isError = false): void {
  const number = ++count;
  notices.value = [...notices.value, { number, text, isError }];
  // What went wrong stays until it has been read.
  if (!isError) setTimeout(() => dismiss(number), SHOWN_MS);
}

export function dismiss(number: number): void {
  notices.value = notices.value.filter((each) => each.number !== number);
}

/** Tells of the failure of what somebody has just done. @returns undefined where it failed. */
export async function attempt<Value>(doing: Promise<Value>): Promise<Value | undefined> {
  try {
    return await doing;
  } catch (error) {
    notify(toMessage(error), true);
    return undefined;
  }
}
