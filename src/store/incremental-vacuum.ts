/** Giving space back: SQLite keeps the pages of removed rows in the file, for rows to come. */
import type Database from 'better-sqlite3';
import { monotonic, setImmediate } from '../timers.ts';

/** Pages given back in one transaction: about half a megabyte. */
const PAGES_PER_STEP = 128;
/** Free pages that are worth no effort. */
const FEW_PAGES = 64;
/** The longest that steps follow one another before others have their turn. */
const SLICE_MS = 8;
/** A database without the page list that releasing needs is rewritten at once if it takes up no more than this. */
const REWRITE_LIMIT_BYTES = 16 * 2 ** 20;
const INCREMENTAL = 2;

/** Has to be set before the first table. */
export function enableIncrementalVacuum(db: Database.Database): void {
  db.pragma('auto_vacuum = INCREMENTAL');
}

/**
 * @param canContinue is asked before each step.
 * @param onStep is called after each step: the file may be smaller.
 */
export async function releaseFreePages(
  db: Database.Database,
  canContinue: () => boolean,
  onStep: () => void,
): Promise<void> {
  const read = (name: string) => Number(db.pragma(name, { simple: true }));
  if (!canContinue() || read('freelist_count') <= FEW_PAGES) return;
  if (read('auto_vacuum') !== INCREMENTAL) {
    // The file of an earlier version, or too large to be rewritten: its free pages are used for new rows.
    const used = (read('page_count') - read('freelist_count')) * read('page_size');
    if (used > REWRITE_LIMIT_BYTES) return;
    enableIncrementalVacuum(db);
    db.exec('VACUUM');
    onStep();
  }
  let endsAt = monotonic() + SLICE_MS;
  while (canContinue() && read('freelist_count') > 0) {
    db.pragma(`incremental_vacuum(${PAGES_PER_STEP})`);
    onStep();
    if (monotonic() < endsAt) continue;
    await new Promise((resolve) => setImmediate(resolve));
    endsAt = monotonic() + SLICE_MS;
  }
  if (!canContinue()) return;
  db.pragma('wal_checkpoint(TRUNCATE)');
  onStep();
}
