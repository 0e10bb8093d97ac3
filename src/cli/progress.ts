/** Progress of slow operations. */
import type { Context } from './context.ts';

/** Operations that take less time show no progress, to avoid flicker. */
const UPDATE_INTERVAL_MS = 250;

/**
 * Shows the line that `describeProgress` returns, and updates it until `work` ends. Only in a terminal.
 * Errors of `describeProgress` are ignored, because `work` reports them.
 */
export async function withProgress<Result>(
  { io: { progress } }: Pick<Context, 'io'>,
  describeProgress: () => Promise<string>,
  work: Promise<Result>,
): Promise<Result> {
  if (progress === null) return work;
  let isWorking = true;
  const show = (line: string) => isWorking && progress(line);
  const timer = setInterval(() => void describeProgress().then(show, () => {}), UPDATE_INTERVAL_MS);
  try {
    return await work;
  } finally {
    isWorking = false;
    clearInterval(timer);
    progress('');
  }
}

const BAR_WIDTH = 24;

/** `██████░░░░░░ 50/100` */
export function renderProgressBar(done: number, total: number): string {
  const filledWidth = total === 0 ? BAR_WIDTH : Math.floor((done / total) * BAR_WIDTH);
  return `${'█'.repeat(filledWidth)}${'░'.repeat(BAR_WIDTH - filledWidth)} ${done}/${total}`;
}
