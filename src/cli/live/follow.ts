/** Following attempts as they happen: a view in a terminal, lines in a pipe, JSON where it was asked for. */
import type { ControlPlane } from '../../control/control-plane.ts';
import type { LiveStream } from '../../control/sse.ts';
import { ExitCode } from '../../errors.ts';
import type { Context } from '../context.ts';
import { renderAttempt } from '../render/deliveries.ts';

export interface FollowOptions {
  /** What the keys of the view act through. */
  readonly control: Pick<ControlPlane, 'getClock' | 'getDelivery' | 'getStatus' | 'replayDelivery'>;
  /** What a person has to know while it runs, one line. */
  readonly heading: string;
  /** Members of the ready line besides its type. */
  readonly ready?: object;
}

/** The types that the stream for {@link followAttempts} has to carry. */
export function typesToFollow(): string {
  return 'attempt';
}

/**
 * Shows the attempts of `stream` until it ends, the person leaves or interrupts. The terminal is as it was before
 * whatever happens.
 * @returns how the command ends: `done` for who left, `interrupted` otherwise.
 */
export async function followAttempts(
  stream: LiveStream,
  context: Context,
  { heading, ready }: FollowOptions,
): Promise<ExitCode> {
  await stream.ready;
  if (context.json) context.printItem({ type: 'ready', ...ready }, () => '');
  else context.io.note(heading);
  for await (const item of stream) {
    if (item.type === 'attempt') context.printItem(item, () => renderAttempt(item, context));
  }
  return ExitCode.interrupted;
}
