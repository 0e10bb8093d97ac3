/** Loads the HTTP client when it is first needed: it takes tens of milliseconds, and no start of the emulator waits for it. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { SvcError } from '../errors.ts';
import { findPackageFolder } from '../package-folder.ts';
import * as timers from '../timers.ts';

/** The file in `dist` that the build makes of the package. */
declare const __SVC_UNDICI__: string | undefined;

type Undici = typeof import('undici');

let loaded: Undici | null = null;

/**
 * With `require`, because Node.js remembers a failed `import()` until the process ends: without a free file
 * descriptor, the next call has to try again.
 */
export function loadUndici(): Undici {
  try {
    loaded ??= load(createRequire(import.meta.url));
    return loaded;
  } catch (error) {
    throw isOutOfDescriptors(error) ? outOfDescriptors(error) : error;
  }
}

function load(require: NodeJS.Require): Undici {
  if (typeof __SVC_UNDICI__ !== 'string') return require('undici');
  const create: (timers: object) => Undici = require(join(findPackageFolder(), __SVC_UNDICI__));
  return create(timers);
}

/** Whether the process could not open a file or a socket. */
export function isOutOfDescriptors(error: unknown): boolean {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : null;
  return code === 'EMFILE' || code === 'ENFILE';
}

export function outOfDescriptors(cause: unknown): SvcError {
  return new SvcError('internal_error', 'No file descriptor is free, so no request can be sent.', {
    hint: 'Close connections to the emulator, or start it with a higher limit: ulimit -n 4096',
    cause,
  });
}
