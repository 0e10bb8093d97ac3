/** Follows a live stream: prints a line for each item, or JSON. */

import { ExitCode } from '../domain/errors.ts';
import type { LiveStream } from '../operations/control-plane.ts';
import type { TopicItem } from '../operations/stream-schemas.ts';
import type { Context } from './context.ts';
import { renderAttempt, renderReset } from './render/stream-items.ts';

interface FollowOptions {
  /** One line that is printed first. */
  readonly heading: string;
  /** Fields of the ready line in addition to its type. */
  readonly ready?: object | undefined;
}

/** Prints the ready line or the heading, and then each item, until the stream ends or the user interrupts. */
export async function follow(
  stream: LiveStream,
  context: Context,
  { heading, ready }: FollowOptions,
  print: (item: TopicItem) => void,
): Promise<ExitCode> {
  await stream.ready;
  if (context.json) context.printItem({ type: 'ready', ...ready }, () => '');
  else context.io.note(heading);
  for await (const item of stream) {
    if (item.type !== 'reset') print(item);
    else if (context.json) context.printItem(item, () => '');
    else context.io.note(renderReset(context.io.noteCapabilities));
  }
  return ExitCode.interrupted;
}

export function followAttempts(
  stream: LiveStream,
  context: Context,
  options: FollowOptions,
): Promise<ExitCode> {
  return follow(stream, context, options, (item) => {
    if (item.type === 'attempt') context.printItem(item, () => renderAttempt(item, context));
  });
}
