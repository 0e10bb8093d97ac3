/** Following what happens: a view in a terminal, lines in a pipe, JSON where it was asked for. */
import type { ApiRequest } from '../../contract/resources.ts';
import type { TopicItem } from '../../contract/stream-schemas.ts';
import type { ControlPlane, LiveStream } from '../../control/control-plane.ts';
import { ExitCode } from '../../errors.ts';
import type { Context } from '../context.ts';
import { renderAttempt } from '../render/deliveries.ts';
import { renderRequest } from '../render/requests.ts';
import { renderReset } from '../render/reset.ts';
import { type AttemptControl, createAttemptList } from './attempt-list.ts';
import type { LiveList } from './live-list.ts';
import { showLive } from './live-view.ts';
import { createRequestList } from './request-list.ts';

export interface FollowOptions {
  /** What the view and its keys act through. */
  readonly control: AttemptControl & Pick<ControlPlane, 'getStatus'>;
  /** What a person has to know while it runs, one line. */
  readonly heading: string;
  /** Members of the ready line besides its type. */
  readonly ready?: object;
}

/** The types that the stream for {@link followAttempts} has to carry: a view shows what is under way as well. */
export function typesToFollow(context: Context): string {
  return getScreenOpener(context) === null ? 'attempt' : 'attempt,delivery';
}

/**
 * Shows the attempts of `stream` until it ends, the person leaves or interrupts. The terminal is as it was before,
 * whatever happens.
 * @returns how the command ends: `done` for who leaves, `interrupted` otherwise.
 */
export function followAttempts(
  stream: LiveStream,
  context: Context,
  options: FollowOptions,
): Promise<ExitCode> {
  const { control, heading } = options;
  return follow(stream, context, options, {
    createList: async () => createAttemptList(control, await control.getStatus({}), heading, context),
    print(item) {
      if (item.type === 'attempt') context.printItem(item, () => renderAttempt(item, context));
    },
  });
}

/** The same for those requests of `stream` that `fits` selects. */
export function followRequests(
  stream: LiveStream,
  context: Context,
  options: FollowOptions,
  fits: (request: ApiRequest) => boolean,
): Promise<ExitCode> {
  const { control, heading } = options;
  return follow(stream, context, options, {
    createList: async () => createRequestList(await control.getStatus({}), heading, fits, context),
    print(item) {
      if (item.type !== 'request' || !fits(item.request)) return;
      context.printItem(item, () => renderRequest(item.request, context));
    },
  });
}

interface FollowedItems<Row> {
  createList(): Promise<LiveList<Row>>;
  /** Prints an item, if it is of those that are followed. */
  print(item: TopicItem): void;
}

async function follow<Row>(
  stream: LiveStream,
  context: Context,
  { heading, ready }: FollowOptions,
  { createList, print }: FollowedItems<Row>,
): Promise<ExitCode> {
  await stream.ready;
  const openScreen = getScreenOpener(context);
  if (openScreen !== null) return showLive(stream, await createList(), context, openScreen);
  if (context.json) context.printItem({ type: 'ready', ...ready }, () => '');
  else context.io.note(heading);
  for await (const item of stream) {
    if (item.type !== 'reset') print(item);
    else if (context.json) context.printItem(item, () => '');
    else context.io.note(renderReset(context.io.noteCapabilities));
  }
  return ExitCode.interrupted;
}

/** What opens the screen of a view; null where there is to be none. */
function getScreenOpener({ json, io }: Context): Context['io']['openScreen'] {
  return json ? null : io.openScreen;
}
