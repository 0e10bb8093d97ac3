/** How a replay is to differ, as it is being chosen. */
import type { ReplayChanges } from '../../../control/replay.ts';
import { findJsonProblem } from '../../json-problem.ts';

export interface ReplayOptions {
  /** Whether a new delivery is made; another address and another body always make one. */
  readonly isNew: boolean;
  /** Null for the address of the endpoint. */
  readonly url: string | null;
  /** JSON text; null for the body that was sent. */
  readonly body: string | null;
}

export const defaultOptions: ReplayOptions = { isNew: false, url: null, body: null };

/** What is wrong with an address, to follow the name of the field; null where the emulator decides. */
export function findUrlProblem(text: string): string | null {
  if (text === '') return 'is missing';
  if (!/^https?:\/\/[^/\\]/i.test(text) || !URL.canParse(text)) {
    return 'must be an absolute https:// or http:// URL';
  }
  return null;
}

export function areValid({ url, body }: ReplayOptions): boolean {
  return (url === null || findUrlProblem(url) === null) && (body === null || findJsonProblem(body) === null);
}

/** As the control plane takes it. */
export function toReplayChanges({ isNew, url, body }: ReplayOptions): ReplayChanges {
  return {
    ...(isNew && { new_id: true as const }),
    ...(url !== null && { url }),
    ...(body !== null && { body }),
  };
}
