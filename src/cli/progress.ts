/** Progress of slow operations. */
import type { Context } from './context.ts';

/** Nothing is shown for shorter waits, to avoid flicker. */
const UPDATE_INTERVAL_MS = 250;
/** Interval between the lines in a log. */
const NOTE_INTERVAL_MS = 10_000;

/**
 * Shows the line that `look` returns until `work` ends: updated in a terminal, every ten seconds elsewhere, and not at
 * all with `--json`. Errors of `look` are ignored, because `work` reports them.
 */
export async function withProgress<Result>(
  { io, json }: Pick<Context, 'io' | 'json'>,
  look: () => Promise<string>,
  work: Promise<Result>,
): Promise<Result> {
  if (json) return work;
  const { progress } = io;
  let working = true;
  const timer = setInterval(
    () => {
      const show = (line: string) => working && (progress ?? io.note)(line);
      look().then(show, () => {});
    },
    progress === null ? NOTE_INTERVAL_MS : UPDATE_INTERVAL_MS,
  );
  try {
    return await work;
  } finally {
    working = false;
    clearInterval(timer);
    progress?.('');
  }
}

const BAR_WIDTH = 24;

/** `██████░░░░░░ 50/100` */
export function renderProgressBar(done: number, total: number): string {
  const filled = total === 0 ? BAR_WIDTH : Math.floor((done / total) * BAR_WIDTH);
  return `${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)} ${done}/${total}`;
}
