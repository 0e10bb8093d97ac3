/** The control plane as one interface, in this process (`in-process-control-plane.ts`) or over HTTP (`control-client.ts`). */
import type { ControlInput, ControlOperations, ControlOutput } from '../contract/control-operations.ts';
import type { ValidatedInput } from '../contract/operation.ts';
import type { StreamInput, StreamItem } from '../contract/stream-schemas.ts';

/**
 * One method for each operation of the table. Takes the flat input, resolves to the output and rejects with an `SvcError`.
 * Abort `signal` when the result is no longer needed: commands that move a clock then stop. Over HTTP, a closed connection
 * has the same effect.
 */
export type ControlMethods = {
  readonly [Name in keyof ControlOperations]: (
    input: ControlInput<Name>,
    signal?: AbortSignal,
  ) => Promise<ControlOutput<Name>>;
};

/** What each operation does. Takes the input after validation. */
export type ControlHandlers = {
  readonly [Name in keyof ControlOperations]: (
    input: ValidatedInput<ControlOperations[Name]>,
    signal?: AbortSignal,
  ) => Promise<ControlOutput<Name>>;
};

export interface ControlPlane extends ControlMethods {
  /** Follows changes from now on, or after `since_sequence`: each matching item once, in order. Ends when `signal` is aborted. */
  stream(input: StreamInput, signal: AbortSignal): LiveStream;
}

export interface LiveStream extends AsyncIterable<StreamItem> {
  /** Resolves when the stream is connected. No later change is missed. */
  readonly ready: Promise<void>;
}
