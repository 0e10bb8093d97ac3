import type { SvcError } from '../errors.ts';
import { toLossError } from '../store/file-guard.ts';
import type { Store } from '../store/store.ts';
import { clearInterval, setInterval } from '../timers.ts';

const LOOK_EVERY_MS = 500;

/**
 * Looks every half second whether the database file is still in its place, so that its loss is noticed while nothing is
 * written.
 * @param onLoss called once for each loss.
 * @returns a function that ends that.
 */
export function watchStorage(store: Store, onLoss: (error: SvcError) => void): () => void {
  let told = store.fileLoss;
  const timer = setInterval(() => {
    const loss = store.lookForFile();
    if (loss !== null && loss !== told) onLoss(toLossError(loss));
    told = loss;
  }, LOOK_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
