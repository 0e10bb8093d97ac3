/** Shrinks the database file: SQLite keeps the pages of deleted rows in it for later rows. */
import type Database from 'better-sqlite3';
import { monotonic, setImmediate } from '../timers.ts';

/** Pages released in one transaction: about half a megabyte. */
const PAGES_PER_STEP = 128;
/** Fewer free pages than this are not released. */
const MIN_FREE_PAGES = 64;
/** Milliseconds of work before other tasks of the event loop run. */
const SLICE_MS = 8;
/** A database that was created without incremental vacuum is rewritten with VACUUM, unless it is larger than this. */
const REWRITE_LIMIT_BYTES = 16 * 2 ** 20;
const INCREMENTAL = 2;

/** Must be called before the first table is created. */
export function enableIncrementalVacuum(db: Database.Database): void {
  db.pragma('auto_vacuum = INCREMENTAL');
}

/**
 * @param canContinue called before each step.
 * @param onStep called after each step, which may have made the file smaller.
 */
export async function releaseFreePages(
  db: Database.Database,
  canContinue: () => boolean,
  onStep: () => void,
): Promise<void> {
  const readPragma = (name: string) => Number(db.pragma(name, { simple: true }));
  if (!canContinue() || readPragma('freelist_count') <= MIN_FREE_PAGES) return;
  if (readPragma('auto_vacuum') !== INCREMENTAL) {
    // An earlier version created the file. If it is too large to be rewritten, its free pages are used for new rows.
    const usedBytes = (readPragma('page_count') - readPragma('freelist_count')) * readPragma('page_size');
    if (usedBytes > REWRITE_LIMIT_BYTES) return;
    enableIncrementalVacuum(db);
    db.exec('VACUUM');
    onStep();
  }
  let endsAt = monotonic() + SLICE_MS;
  while (canContinue() && readPragma('freelist_count') > 0) {
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
