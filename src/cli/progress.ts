/** What a person sees while something takes long. */
import type { Context } from './context.ts';

/** Shorter waits show nothing: it would only flicker. */
const UPDATE_INTERVAL_MS = 250;
/** A log takes a line now and then. */
const NOTE_INTERVAL_MS = 10_000;

/**
 * Waits for `work`. In a terminal the line that `look` gives is shown meanwhile, and gone at the end; elsewhere it is
 * noted every ten seconds, and with `--json` not at all. A look that fails shows nothing: what is wrong, `work` will say.
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
