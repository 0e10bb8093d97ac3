/** The control plane of the emulator in this process. */
import { controlOperations } from '../contract/control-operations.ts';
import type { ControlHandlers, ControlMethods, ControlPlane } from '../contract/control-plane.ts';
import { validateInput } from '../contract/operation.ts';
import type { ListenerEndpointCleanup } from '../sandbox/listener-endpoint-cleanup.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { exportDeliveries } from './export/export-deliveries.ts';
import { createLiveStream } from './live-stream.ts';
import { SharedChanges } from './shared-changes.ts';

/**
 * The streams do not end when the emulator stops, so that a log contains the last requests.
 * @param listenerCleanup keeps the endpoints of a `svc listen` while its stream is open
 */
export function createInProcessControlPlane(
  handlers: ControlHandlers,
  sandbox: Sandbox,
  listenerCleanup: ListenerEndpointCleanup,
): ControlPlane {
  const sharedChanges = new SharedChanges(sandbox);
  return {
    ...withValidation(handlers),
    exportDeliveries: (input, signal) => exportDeliveries(sandbox, input, signal),
    stream(input, signal) {
      const items = createLiveStream(sandbox, listenerCleanup, sharedChanges, input, signal);
      return { ready: Promise.resolve(), [Symbol.asyncIterator]: () => items[Symbol.asyncIterator]() };
    },
  };
}

function withValidation(handlers: ControlHandlers): ControlMethods {
  const methods = Object.entries(handlers).map(([name, handler]) => [
    name,
    // `never`: TypeScript cannot see that the schema and the handler of a name belong together.
    async (input: Record<string, unknown>, signal?: AbortSignal) =>
      handler(validateInput(controlOperations[name as keyof ControlHandlers], input) as never, signal),
  ]);
  return Object.fromEntries(methods) as ControlMethods;
}
