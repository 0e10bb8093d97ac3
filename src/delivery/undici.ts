/** Loads the HTTP client on first use, because it takes tens of milliseconds. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { SvcError } from '../errors.ts';
import {
  clearImmediate,
  clearInterval,
  clearTimeout,
  queueMicrotask,
  setImmediate,
  setInterval,
  setTimeout,
} from '../timers.ts';

/** The file that the build creates from the package, relative to the chunks. */
declare const __SVC_UNDICI__: string | undefined;
/** The build replaces this with `require`, so that a bundler of an application finds the file. */
declare const __SVC_REQUIRE__: (path: string | undefined) => unknown;

type Undici = typeof import('undici');

let loaded: Undici | null = null;

// Not a namespace import, which would add a helper of the bundler to every chunk.
const timers = {
  setTimeout,
  clearTimeout,
  setInterval,
  clearInterval,
  setImmediate,
  clearImmediate,
  queueMicrotask,
};

/**
 * Uses `require`, because Node.js caches a failed `import()` until the process ends: after a lack of file descriptors, the
 * next call must be able to succeed.
 */
export function loadUndici(): Undici {
  try {
    // A CommonJS bundle has no `import.meta`. It requires only modules of Node.js.
    loaded ??= load(createRequire(import.meta.url ?? process.execPath));
    return loaded;
  } catch (error) {
    throw isOutOfFileDescriptors(error) ? outOfFileDescriptorsError(error) : error;
  }
}

function load(requireModule: NodeJS.Require): Undici {
  if (typeof __SVC_UNDICI__ !== 'string') return requireModule('undici');
  const file = join(import.meta.dirname ?? '', __SVC_UNDICI__);
  const create = (existsSync(file) ? requireModule(file) : __SVC_REQUIRE__(__SVC_UNDICI__)) as (
    environment: object,
  ) => Undici;
  return create({ ...timers, require: requireModule });
}

/** Whether the process could not open a file or socket. */
export function isOutOfFileDescriptors(error: unknown): boolean {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : null;
  return code === 'EMFILE' || code === 'ENFILE';
}

export function outOfFileDescriptorsError(cause: unknown): SvcError {
  return new SvcError(
    'internal_error',
    'The process has no free file descriptor, so no request can be sent.',
    {
      hint: 'Close connections to the emulator, or start it with a higher limit: ulimit -n 4096',
      cause,
    },
  );
}
