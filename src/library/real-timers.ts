import { SvcError } from '../errors.ts';
import { areTimersFake } from '../timers.ts';

/** @throws SvcError `usage` where fake timers were installed before the library was loaded: it would wait forever. */
export function requireRealTimers(): void {
  if (!areTimersFake) return;
  throw new SvcError('usage', 'svc-emulator was imported while fake timers were installed.', {
    hint: 'Import svc-emulator at the top of the file, or before the call that installs fake timers. Then they do not affect it.',
  });
}
