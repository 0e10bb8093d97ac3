/** Loads the HTTP client on first use, because it takes tens of milliseconds. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { SvcError } from '../errors.ts';
import { timers } from '../timers.ts';

/** The file that the build creates from the package, relative to the chunks. */
declare const __SVC_UNDICI__: string | undefined;
/** The build replaces this with `require`, so that a bundler of an application finds the file. */
declare const __SVC_REQUIRE__: (path: string | undefined) => unknown;

type Undici = typeof import('undici');

let undici: Undici | null = null;

/**
 * Uses `require`, because Node.js caches a failed `import()` until the process ends: after a lack of file descriptors, the
 * next call must be able to succeed.
 */
export function loadUndici(): Undici {
  try {
    // A CommonJS bundle has no `import.meta`. It requires only modules of Node.js.
    undici ??= requireUndici(createRequire(import.meta.url ?? process.execPath));
    return undici;
  } catch (error) {
    throw isOutOfFileDescriptors(error) ? createOutOfFileDescriptorsError(error) : error;
  }
}

function requireUndici(requireModule: NodeJS.Require): Undici {
  if (typeof __SVC_UNDICI__ !== 'string') return requireModule('undici');
  const file = join(import.meta.dirname ?? '', __SVC_UNDICI__);
  const createUndici = (existsSync(file) ? requireModule(file) : __SVC_REQUIRE__(__SVC_UNDICI__)) as (
    environment: object,
  ) => Undici;
  return createUndici({ ...timers, require: requireModule });
}

/** Whether the process could not open a file or socket. */
export function isOutOfFileDescriptors(error: unknown): boolean {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : null;
  return code === 'EMFILE' || code === 'ENFILE';
}

export function createOutOfFileDescriptorsError(cause: unknown): SvcError {
  return new SvcError(
    'internal_error',
    'The process has no free file descriptor, so no request can be sent.',
    {
      hint: 'Close connections to the emulator, or start it with a higher limit: ulimit -n 4096',
      cause,
    },
  );
}
