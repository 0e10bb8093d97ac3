/** Progress of slow operations. */
import type { Context } from './context.ts';

/** Operations that take less time show no progress, to avoid flicker. */
const UPDATE_INTERVAL_MS = 250;
/** Interval of the lines if standard error is not a terminal. */
const NOTE_INTERVAL_MS = 10_000;

/**
 * Shows the line that `describeProgress` returns until `work` ends: a line that is updated in a terminal, a new line
 * every ten seconds elsewhere, and nothing with `--json`. Errors of `describeProgress` are ignored, because `work`
 * reports them.
 */
export async function withProgress<Result>(
  { io, json }: Pick<Context, 'io' | 'json'>,
  describeProgress: () => Promise<string>,
  work: Promise<Result>,
): Promise<Result> {
  if (json) return work;
  const { progress } = io;
  let isWorking = true;
  const show = (line: string) => isWorking && (progress ?? io.note)(line);
  const timer = setInterval(
    () => void describeProgress().then(show, () => {}),
    progress === null ? NOTE_INTERVAL_MS : UPDATE_INTERVAL_MS,
  );
  try {
    return await work;
  } finally {
    isWorking = false;
    clearInterval(timer);
    progress?.('');
  }
}

const BAR_WIDTH = 24;

/** `██████░░░░░░ 50/100` */
export function renderProgressBar(done: number, total: number): string {
  const filledWidth = total === 0 ? BAR_WIDTH : Math.floor((done / total) * BAR_WIDTH);
  return `${'█'.repeat(filledWidth)}${'░'.repeat(BAR_WIDTH - filledWidth)} ${done}/${total}`;
}
