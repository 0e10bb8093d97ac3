/** What a person sees while something takes long. */
import type { Io } from './io.ts';

/** Shorter waits show nothing: it would only flicker. */
const LOOK_EVERY_MS = 250;

/**
 * Waits for `work`; in a terminal the line that `look` gives is shown meanwhile, and gone at the end. A look that
 * fails shows nothing: what is wrong, `work` will say.
 */
export async function showWhile<Result>(
  { progress }: Pick<Io, 'progress'>,
  look: () => Promise<string>,
  work: Promise<Result>,
): Promise<Result> {
  if (progress === null) return work;
  let working = true;
  const timer = setInterval(() => {
    const show = (line: string) => working && progress(line);
    look().then(show, () => {});
  }, LOOK_EVERY_MS);
  try {
    return await work;
  } finally {
    working = false;
    clearInterval(timer);
    progress('');
  }
}

const BAR_WIDTH = 24;

/** `██████░░░░░░ 50/100` */
export function renderBar(done: number, total: number): string {
  const filled = total === 0 ? BAR_WIDTH : Math.floor((done / total) * BAR_WIDTH);
  return `${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)} ${done}/${total}`;
}
