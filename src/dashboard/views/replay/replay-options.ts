/** The options of a replay while the user selects them. */
import type { ReplayChanges } from '../../../client/replay.ts';

export interface ReplayOptions {
  /** Whether to create a new delivery. Another URL or body always creates one. */
  readonly isNew: boolean;
  /** Null for the URL of the endpoint. */
  readonly url: string | null;
  /** JSON text; null for the original body. */
  readonly body: string | null;
}

export const defaultOptions: ReplayOptions = { isNew: false, url: null, body: null };

/** Why the URL is invalid, as in "The URL is missing."; null for a URL that only the emulator can check further. */
export function findUrlError(text: string): string | null {
  if (text === '') return 'is missing';
  // `URL` also accepts `https:/host` and `https:host`.
  if (!/^https?:\/\/[^/\\]/i.test(text) || !URL.canParse(text)) {
    return 'must be an absolute https:// or http:// URL';
  }
  return null;
}

export function isUrlValid({ url }: ReplayOptions): boolean {
  return url === null || findUrlError(url) === null;
}

export function toReplayChanges({ isNew, url, body }: ReplayOptions): ReplayChanges {
  return {
    ...(isNew && { new_id: true as const }),
    ...(url !== null && { url }),
    ...(body !== null && { body }),
  };
}
