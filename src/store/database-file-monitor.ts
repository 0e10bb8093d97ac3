/** Detects that the file of an open database was removed or replaced. SQLite reports no error in these cases. */
import { realpathSync, type Stats, statSync } from 'node:fs';
import { type Hint, SvcError } from '../domain/errors.ts';
import { clearInterval, setInterval } from '../platform/timers.ts';

const CHECK_INTERVAL_MS = 500;

export type DatabaseFileProblem = 'removed' | 'replaced';

type TrackedFile = { readonly path: string } & Pick<Stats, 'dev' | 'ino'>;

/**
 * Compares the database file and its write-ahead log with those that were opened. A check takes a few microseconds. It never
 * opens the files: closing a descriptor would release the locks that SQLite holds on them.
 */
export class DatabaseFileMonitor {
  readonly #files: readonly TrackedFile[];
  #problem: DatabaseFileProblem | null = null;

  /** @param path of an open database, or `:memory:`. */
  constructor(path: string) {
    // SQLite creates the log next to the file that a symbolic link points to.
    const file = path === ':memory:' ? null : realpathSync(path);
    this.#files =
      file === null ? [] : [file, `${file}-wal`].map((name) => ({ path: name, ...statSync(name) }));
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

  /** @throws SvcError `storage_unavailable` if a file was removed or replaced. */
  assertIntact(): void {
    const problem = this.check();
    if (problem !== null) throw createFileProblemError(problem);
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
};

export function describeFileProblem(problem: DatabaseFileProblem): { message: string; hint: Hint } {
  return {
    message: `${messages[problem]} Writes are refused.`,
    hint: {
      text: 'Nothing is lost until the emulator stops. To load the state after a restart, save it now',
      command: 'svc emulator snapshot save FILE',
    },
  };
}

export function createFileProblemError(problem: DatabaseFileProblem): SvcError {
  const { message, hint } = describeFileProblem(problem);
  return new SvcError('storage_unavailable', message, { hint });
}

function findProblem({ path, dev, ino }: TrackedFile): DatabaseFileProblem | null {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return 'removed';
    return stat.dev === dev && stat.ino === ino ? null : 'replaced';
  } catch {
    // A parent folder may not be read.
    return null;
  }
}
