/** Text that is longer than the terminal, in the pager of the person. */
import type { Host } from './context.ts';
import { wrapLines } from './render/ansi.ts';

const DEFAULT_PAGER = process.platform === 'win32' ? 'more' : 'less';
/** What people set to have none. */
const NO_PAGER = ['', 'cat'];

/**
 * Shows `text` in the pager of `SVC_PAGER` or `PAGER` (default: less).
 * @returns false where the text fits, where output is not a terminal, and where there is no pager.
 */
export async function showInPager(
  text: string,
  { io, env, redirectSignals }: Pick<Host, 'io' | 'env' | 'redirectSignals'>,
): Promise<boolean> {
  const pager = (env.SVC_PAGER ?? env.PAGER ?? DEFAULT_PAGER).trim();
  if (io.openPager === null || NO_PAGER.includes(pager)) return false;
  // The shell prompt takes a line too.
  if (wrapLines(io.width, text).length < io.height) return false;
  // Ctrl-C belongs to the pager, which is in the same process group.
  const restoreSignals = redirectSignals(() => {});
  try {
    return await io.openPager(text, pager);
  } finally {
    restoreSignals();
  }
}
