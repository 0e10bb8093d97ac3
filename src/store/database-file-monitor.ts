/** Notices when the file of a running database is removed, replaced or truncated: SQLite itself continues without an error. */
import { realpathSync, type Stats, statSync } from 'node:fs';
import { SvcError } from '../errors.ts';

export const databaseFileProblems = ['removed', 'replaced', 'truncated'] as const;
export type DatabaseFileProblem = (typeof databaseFileProblems)[number];

interface KnownFile {
  readonly path: string;
  dev: number;
  ino: number;
  size: number;
}

/**
 * Compares the database file and its write-ahead log with what they were after the last write. A look costs a few
 * microseconds. The files are never opened: closing a descriptor would give up the locks that SQLite has on them.
 */
export class DatabaseFileMonitor {
  readonly #files: KnownFile[] = [];
  readonly #log: string | null;
  problem: DatabaseFileProblem | null = null;

  /** @param path of an open database, or `:memory:`. */
  constructor(path: string) {
    if (path === ':memory:') {
      this.#log = null;
      return;
    }
    // SQLite puts the log beside the file itself, not beside a symbolic link to it.
    const file = realpathSync(path);
    this.#log = `${file}-wal`;
    this.#learn(file);
    this.recordWrite();
  }

  /** What the last look found; null while the files are in their place. */
  get loss(): DatabaseFileProblem | null {
    return this.problem;
  }

  /** Looks again. A file that is moved back to its place is no loss any more. */
  check(): DatabaseFileProblem | null {
    this.problem = this.#files.map(findLoss).find((loss) => loss !== null) ?? null;
    return this.problem;
  }

  /** @throws SvcError `storage_unavailable` when a file is not in its place. */
  assertIntact(): void {
    const loss = this.check();
    if (loss !== null) throw toFileProblemError(loss);
  }

  /** Takes the present sizes as what the emulator itself has made of the files. To be called after each write. */
  recordWrite(): void {
    if (this.problem !== null || this.#log === null) return;
    if (this.#files.length === 1) this.#learn(this.#log);
    for (const file of this.#files) {
      const stat = findStat(file.path);
      if (stat && isSame(file, stat)) file.size = stat.size;
    }
  }

  #learn(path: string): void {
    const stat = findStat(path);
    if (stat) this.#files.push({ path, dev: stat.dev, ino: stat.ino, size: stat.size });
  }
}

const messages: Readonly<Record<DatabaseFileProblem, string>> = {
  removed: 'The database file was removed while the emulator is running.',
  replaced: 'The database file was replaced by another file while the emulator is running.',
  truncated: 'The database file was truncated while the emulator is running.',
};

const hints: Readonly<Record<DatabaseFileProblem, string>> = {
  removed:
    'Nothing is lost until the emulator stops. Write the file again with: svc emulator restore. To start with an empty database instead, restart the emulator.',
  replaced:
    'Nothing is lost until the emulator stops. Save its state with: svc emulator snapshot save FILE. Then restart it, which uses the new file, and load the snapshot.',
  truncated:
    'Save what can still be read with: svc emulator snapshot save FILE. Then move the database file away, restart the emulator and load the snapshot.',
};

export function toFileProblemError(loss: DatabaseFileProblem): SvcError {
  return new SvcError('storage_unavailable', `${messages[loss]} Writes are refused.`, { hint: hints[loss] });
}

function findLoss(file: KnownFile): DatabaseFileProblem | null {
  const stat = findStat(file.path);
  if (stat === null) return null;
  if (stat === undefined || stat.nlink === 0) return 'removed';
  if (!isSame(file, stat)) return 'replaced';
  return stat.size < file.size ? 'truncated' : null;
}

/** Undefined where there is no file; null where that cannot be told, because a folder above may not be read. */
function findStat(path: string): Stats | undefined | null {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return null;
  }
}

function isSame({ dev, ino }: KnownFile, stat: Stats): boolean {
  return stat.dev === dev && stat.ino === ino;
}
