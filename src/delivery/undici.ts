/** Loads the HTTP client when it is first needed: it takes tens of milliseconds, and no start of the emulator waits for it. */
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

/** The file that the build makes of the package, relative to the chunks. */
declare const __SVC_UNDICI__: string | undefined;
/** The build writes `require` here: a bundler that packs the library into an application adds the file to it. */
declare const __SVC_REQUIRE__: (path: string | undefined) => unknown;

type Undici = typeof import('undici');

let loaded: Undici | null = null;

// Not the module as a whole: as an object, it would take a helper of the bundler along everywhere.
const timers = {
  ...{ setTimeout, clearTimeout, setInterval, clearInterval },
  ...{ setImmediate, clearImmediate, queueMicrotask },
};

/**
 * With `require`, because Node.js remembers a failed `import()` until the process ends: without a free file
 * descriptor, the next call has to try again.
 */
export function loadUndici(): Undici {
  try {
    // A bundle in the format of CommonJS has no `import.meta`; then it requires modules of Node.js only.
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

/** Whether the process could not open a file or a socket. */
export function isOutOfFileDescriptors(error: unknown): boolean {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : null;
  return code === 'EMFILE' || code === 'ENFILE';
}

export function outOfFileDescriptorsError(cause: unknown): SvcError {
  return new SvcError('internal_error', 'No file descriptor is free, so no request can be sent.', {
    hint: 'Close connections to the emulator, or start it with a higher limit: ulimit -n 4096',
    cause,
  });
}
