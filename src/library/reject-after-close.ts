/** The doors of an emulator in this process, until it is closed: then calls are refused in words, and streams end. */
import type { ControlMethods, ControlPlane } from '../control/control-plane.ts';
import type { Emulator } from '../emulator.ts';
import { SvcError } from '../errors.ts';

type Doors = Pick<Emulator, 'control' | 'fetch' | 'status'>;

/** @param closing is aborted when the emulator is closed. */
export function rejectAfterClose({ control, fetch, status }: Doors, closing: AbortSignal): Doors {
  return {
    control: controlUntilClosed(control, closing),
    fetch: callUntilClosed(fetch, closing),
    status() {
      refuseClosed(closing);
      return status();
    },
  };
}

function controlUntilClosed({ stream, ...calls }: ControlPlane, closing: AbortSignal): ControlPlane {
  const guarded = Object.entries(calls).map(([name, call]) => [
    name,
    callUntilClosed(call as (...input: never) => Promise<unknown>, closing),
  ]);
  return {
    ...(Object.fromEntries(guarded) as ControlMethods),
    stream(input, signal) {
      refuseClosed(closing);
      return stream(input, AbortSignal.any([signal, closing]));
    },
  };
}

/** What is under way when it is closed finds the store closed: it is refused in the same words. */
function callUntilClosed<Input extends unknown[], Output>(
  call: (...input: Input) => Promise<Output>,
  closing: AbortSignal,
): (...input: Input) => Promise<Output> {
  return async (...input) => {
    refuseClosed(closing);
    try {
      return await call(...input);
    } catch (error) {
      if (!(error instanceof SvcError)) refuseClosed(closing);
      throw error;
    }
  };
}

/** @throws SvcError `interrupted` */
function refuseClosed(closing: AbortSignal): void {
  if (!closing.aborted) return;
  throw new SvcError('interrupted', 'The emulator is closed.', {
    hint: 'Call close() after everything else, or make another emulator with createEmulator().',
  });
}
