import type { SvcError } from '../errors.ts';
import { toFileProblemError } from '../store/database-file-monitor.ts';
import type { Store } from '../store/store.ts';
import { clearInterval, setInterval } from '../timers.ts';

const CHECK_INTERVAL_MS = 500;

/**
 * Looks every half second whether the database file is still in its place, so that its loss is noticed while nothing is
 * written.
 * @param onLoss called once for each loss.
 * @returns a function that ends that.
 */
export function watchDatabaseFile(store: Store, onLoss: (error: SvcError) => void): () => void {
  let told = store.fileProblem;
  const timer = setInterval(() => {
    const loss = store.checkFile();
    if (loss !== null && loss !== told) onLoss(toFileProblemError(loss));
    told = loss;
  }, CHECK_INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}
