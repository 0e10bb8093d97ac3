/** The control plane as one interface, served in this process (`local.ts`) and spoken over HTTP (`http-client.ts`). */
import type { ControlInput, ControlOperations, ControlOutput } from '../contract/control-operations.ts';
import type { StreamInput, StreamItem } from '../contract/stream-schemas.ts';

/**
 * Every operation of the table, one method each: takes the flat input, resolves to the output, rejects with an `SvcError`.
 * `signal` is aborted when the caller no longer waits; commands that move a clock then stop. Over HTTP the connection
 * tells it.
 */
export type ControlMethods = {
  readonly [Name in keyof ControlOperations]: (
    input: ControlInput<Name>,
    signal?: AbortSignal,
  ) => Promise<ControlOutput<Name>>;
};

export interface ControlPlane extends ControlMethods {
  /**
   * What happens from now on, or from after `since_sequence`: every matching item once, in order. Ends when `signal`
   * is aborted.
   */
  stream(input: StreamInput, signal: AbortSignal): LiveStream;
}

export interface LiveStream extends AsyncIterable<StreamItem> {
  /** Resolves once the stream stands: nothing that happens after this is missed. */
  readonly ready: Promise<void>;
}
