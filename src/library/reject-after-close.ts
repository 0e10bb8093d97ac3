/** Rejects calls to an emulator in this process after it was closed, and ends its streams. */
import type { ControlMethods, ControlPlane } from '../control/control-plane.ts';
import type { Emulator } from '../emulator.ts';
import { SvcError } from '../errors.ts';

type EntryPoints = Pick<Emulator, 'control' | 'fetch' | 'status'>;

/** @param closing aborted when the emulator is closed */
export function rejectAfterClose({ control, fetch, status }: EntryPoints, closing: AbortSignal): EntryPoints {
  return {
    control: rejectControlAfterClose(control, closing),
    fetch: rejectCallAfterClose(fetch, closing),
    status() {
      assertOpen(closing);
      return status();
    },
  };
}

function rejectControlAfterClose({ stream, ...calls }: ControlPlane, closing: AbortSignal): ControlPlane {
  const guarded = Object.entries(calls).map(([name, call]) => [
    name,
    rejectCallAfterClose(call as (...input: never) => Promise<unknown>, closing),
  ]);
  return {
    ...(Object.fromEntries(guarded) as ControlMethods),
    stream(input, signal) {
      assertOpen(closing);
      return stream(input, AbortSignal.any([signal, closing]));
    },
  };
}

/** A call that is in progress when the emulator is closed fails with an internal error: it is reported as closed too. */
function rejectCallAfterClose<Input extends unknown[], Output>(
  call: (...input: Input) => Promise<Output>,
  closing: AbortSignal,
): (...input: Input) => Promise<Output> {
  return async (...input) => {
    assertOpen(closing);
    try {
      return await call(...input);
    } catch (error) {
      if (!(error instanceof SvcError)) assertOpen(closing);
      throw error;
    }
  };
}

/** @throws SvcError `interrupted` */
function assertOpen(closing: AbortSignal): void {
  if (!closing.aborted) return;
  throw new SvcError('interrupted', 'The emulator is closed.', {
    hint: 'Call close() last, or create another emulator with createEmulator().',
  });
}
