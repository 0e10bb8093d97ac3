/** Follows a stream: in a live view in a terminal, as lines in a pipe, or as JSON. */

import type { ControlPlane, LiveStream } from '../../contract/control-plane.ts';
import type { ApiRequest } from '../../contract/resources.ts';
import type { TopicItem } from '../../contract/stream-schemas.ts';
import { ExitCode } from '../../errors.ts';
import type { Context } from '../context.ts';
import { formatTimeOfDay } from '../render/format.ts';
import { renderRequestDetail, requestColumns } from '../render/requests.ts';
import { renderAttempt, renderRequest, renderReset } from '../render/stream-items.ts';
import { type AttemptControl, createAttemptList } from './attempt-list.ts';
import { type LiveList, showLive } from './live-view.ts';

interface FollowOptions {
  /** The control plane that the view uses. */
  readonly control: AttemptControl & Pick<ControlPlane, 'getStatus' | 'getRequest'>;
  /** One line that is always visible. */
  readonly heading: string;
  /** Fields of the ready line in addition to its type. */
  readonly ready?: object | undefined;
}

/** The context of a command that prints lines even in a terminal. */
export function withoutScreen(context: Context): Context {
  return { ...context, io: Object.create(context.io, { openScreen: { value: null } }) };
}

/** The types of the stream for {@link followAttempts}: a view also shows attempts in progress. */
export function selectStreamTypes(context: Context): string {
  return getScreenOpener(context) === null ? 'attempt' : 'attempt,delivery';
}

/**
 * Shows the attempts of `stream` until it ends, or the user quits or interrupts. Always restores the terminal.
 * @returns `success` after `q`, `interrupted` after Ctrl-C or the end of the stream
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

/** Like {@link followAttempts}, for the requests of `stream` that match `matches`. */
export function followRequests(
  stream: LiveStream,
  context: Context,
  options: FollowOptions,
  matches: (request: ApiRequest) => boolean,
): Promise<ExitCode> {
  const { control, heading } = options;
  return follow<ApiRequest>(stream, context, options, {
    async createList() {
      const { dashboard_url } = await control.getStatus({});
      return {
        heading,
        empty: 'No requests yet.',
        applyItem: (rows, item) =>
          item.type === 'request' && matches(item.request) ? [...rows, item.request] : rows,
        columns: (capabilities) => requestColumns(capabilities, formatTimeOfDay),
        refresh: async () => {},
        describe: async ({ id }) => renderRequestDetail(await control.getRequest({ id }), context),
        replay: null,
        toUrl: ({ id }) => `${dashboard_url}#/requests/${id}`,
      };
    },
    print(item) {
      if (item.type !== 'request' || !matches(item.request)) return;
      context.printItem(item, () => renderRequest(item.request, context));
    },
  });
}

/** Shows the items of a stream in a live view, or prints each one. */
interface ItemDisplay<Row> {
  createList(): Promise<LiveList<Row>>;
  /** Prints an item, if it is followed. */
  print(item: TopicItem): void;
}

async function follow<Row>(
  stream: LiveStream,
  context: Context,
  { heading, ready }: FollowOptions,
  { createList, print }: ItemDisplay<Row>,
): Promise<ExitCode> {
  const openScreen = getScreenOpener(context);
  if (openScreen === null) return followLines(stream, context, { heading, ready }, print);
  await stream.ready;
  return showLive(stream, await createList(), context, openScreen);
}

/** Prints the ready line or the heading, and then each item, until the stream ends. */
export async function followLines(
  stream: LiveStream,
  context: Context,
  { heading, ready }: Pick<FollowOptions, 'heading' | 'ready'>,
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

/** Opens the screen of a view; null without a terminal or with `--json`. */
function getScreenOpener({ json, io }: Context): Context['io']['openScreen'] {
  return json ? null : io.openScreen;
}
