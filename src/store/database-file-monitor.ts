/** Detects that the file of an open database was removed, replaced or truncated. SQLite reports no error in these cases. */
import { realpathSync, type Stats, statSync } from 'node:fs';
import { type Hint, SvcError } from '../errors.ts';
import { clearInterval, setInterval } from '../timers.ts';

const CHECK_INTERVAL_MS = 500;

export type DatabaseFileProblem = 'removed' | 'replaced' | 'truncated';

/** A file with its identity and its size after the last write. */
interface TrackedFile {
  readonly path: string;
  dev: number;
  ino: number;
  size: number;
}

/**
 * Compares the database file and its write-ahead log with their state after the last write. A check takes a few
 * microseconds. It never opens the files: closing a descriptor would release the locks that SQLite holds on them.
 */
export class DatabaseFileMonitor {
  readonly #files: TrackedFile[] = [];
  /** Path of the write-ahead log; empty for a database in memory. */
  readonly #logPath: string = '';
  #problem: DatabaseFileProblem | null = null;

  /** @param path of an open database, or `:memory:`. */
  constructor(path: string) {
    if (path === ':memory:') return;
    // SQLite creates the log next to the file that a symbolic link points to.
    const file = realpathSync(path);
    this.#logPath = `${file}-wal`;
    this.#track(file);
    this.recordWrite();
  }

  /** The result of the last check; null while the files are intact. */
  get problem(): DatabaseFileProblem | null {
    return this.#problem;
  }

  /** Checks again. The problem is gone after the file was moved back. */
  check(): DatabaseFileProblem | null {
    this.#problem = this.#files.map(findProblem).find((problem) => problem !== null) ?? null;
    return this.#problem;
  }

  /** @throws SvcError `storage_unavailable` if a file was removed, replaced or truncated. */
  assertIntact(): void {
    const problem = this.check();
    if (problem !== null) throw createFileProblemError(problem);
  }

  /** Records the current sizes. Must be called after each write of the emulator itself. */
  recordWrite(): void {
    if (this.#problem !== null) return;
    // SQLite creates the log with the first write.
    if (this.#files.length === 1) this.#track(this.#logPath);
    for (const file of this.#files) {
      const stat = findStat(file.path);
      if (stat && isSameFile(file, stat)) file.size = stat.size;
    }
  }

  #track(path: string): void {
    const stat = findStat(path);
    if (stat) this.#files.push({ path, dev: stat.dev, ino: stat.ino, size: stat.size });
  }
}

/**
 * Checks the database file every half second, so that a problem is noticed even if nothing is written.
 * @param onProblem called once for each problem.
 * @returns a function that stops the checks.
 */
export function watchDatabaseFile(
  store: { readonly fileProblem: DatabaseFileProblem | null; checkFile(): DatabaseFileProblem | null },
  onProblem: (error: SvcError) => void,
): () => void {
  let reported = store.fileProblem;
  const timer = setInterval(() => {
    const problem = store.checkFile();
    if (problem !== null && problem !== reported) onProblem(createFileProblemError(problem));
    reported = problem;
  }, CHECK_INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

const messages: Readonly<Record<DatabaseFileProblem, string>> = {
  removed: 'The database file was removed while the emulator was running.',
  replaced: 'The database file was replaced by another file while the emulator was running.',
  truncated: 'The database file was truncated while the emulator was running.',
};

export function describeFileProblem(problem: DatabaseFileProblem): { message: string; hint: Hint } {
  const text =
    problem === 'truncated'
      ? 'Before you move the database file away, restart the emulator and load the snapshot, save what can still be read'
      : 'Nothing is lost until the emulator stops. Before you restart it and load the snapshot, save the state';
  return {
    message: `${messages[problem]} Writes are refused.`,
    hint: { text, command: 'svc emulator snapshot save FILE' },
  };
}

export function createFileProblemError(problem: DatabaseFileProblem): SvcError {
  const { message, hint } = describeFileProblem(problem);
  return new SvcError('storage_unavailable', message, { hint });
}

function findProblem(file: TrackedFile): DatabaseFileProblem | null {
  const stat = findStat(file.path);
  if (stat === null) return null;
  if (stat === undefined || stat.nlink === 0) return 'removed';
  if (!isSameFile(file, stat)) return 'replaced';
  return stat.size < file.size ? 'truncated' : null;
}

/** @returns undefined if the file does not exist; null if a parent folder may not be read. */
function findStat(path: string): Stats | undefined | null {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return null;
  }
}

function isSameFile({ dev, ino }: TrackedFile, stat: Stats): boolean {
  return stat.dev === dev && stat.ino === ino;
}
