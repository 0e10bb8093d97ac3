import { styleFor } from './style.ts';

/** Shown when earlier output can be outdated. */
export const RESET_NOTE = 'The state was replaced by a reset or a snapshot.';

/** The note as a line of output. */
export function renderReset(capabilities: { readonly color: boolean }): string {
  return styleFor(capabilities).dim(RESET_NOTE);
}
