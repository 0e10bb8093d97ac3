import { styleFor } from './style.ts';

/** Said when what was shown may be no more. */
export const RESET_NOTE = 'The state was replaced: a reset, or a snapshot that was loaded.';

/** The same as a line between others. */
export function renderReset(look: { readonly color: boolean }): string {
  return styleFor(look).dim(RESET_NOTE);
}
