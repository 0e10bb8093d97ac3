/** Shows long text in the pager of the user. */
import type { ProcessContext } from './context.ts';
import { wrapLines } from './render/text-width.ts';

const DEFAULT_PAGER = process.platform === 'win32' ? 'more' : 'less';
/** Values that turn the pager off. */
const NO_PAGER = ['', 'cat'];

/**
 * Shows `text` in the pager of `SVC_PAGER` or `PAGER` (default: less).
 * @returns false when the text fits, output is not a terminal, or there is no pager
 */
export async function showInPager(
  text: string,
  { io, env, handleSignals }: Pick<ProcessContext, 'io' | 'env' | 'handleSignals'>,
): Promise<boolean> {
  const pager = (env.SVC_PAGER ?? env.PAGER ?? DEFAULT_PAGER).trim();
  if (io.openPager === null || NO_PAGER.includes(pager)) return false;
  // The shell prompt needs one line.
  if (wrapLines(io.width, text).length < io.height) return false;
  // The pager handles Ctrl-C. It is in the same process group.
  const restoreSignals = handleSignals(() => {});
  try {
    return await io.openPager(text, pager);
  } finally {
    restoreSignals();
  }
}
