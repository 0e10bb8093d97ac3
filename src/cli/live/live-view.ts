/** A live view in a terminal: draws the stream, handles keys and shows messages. */

import type { LiveStream } from '../../contract/control-plane.ts';
import type { TopicItem } from '../../contract/stream-schemas.ts';
import { ExitCode, SvcError } from '../../errors.ts';
import type { Context } from '../context.ts';
import { openUrl } from '../open-url.ts';
import type { Io, TerminalCapabilities } from '../process-context.ts';
import { RESET_NOTE } from '../render/stream-items.ts';
import { styleFor } from '../render/style.ts';
import { type Column, renderTable } from '../render/table.ts';
import { truncateLine } from '../render/text-width.ts';
import {
  countRowsBelow,
  createState,
  findAction,
  findSelected,
  type LiveAction,
  type LiveEvent,
  type LiveState,
  listVisibleRows,
  panelHeight,
  reduce,
  visibleRowCount,
} from './live-state.ts';
import type { Screen } from './screen.ts';

export interface LiveList<Row> {
  /** One line that describes the list. */
  readonly heading: string;
  /** Text while there are no rows. */
  readonly empty: string;
  /** The rows after an item of the stream; `now` is wall time. Rows keep their position, new ones are appended. */
  applyItem(rows: readonly Row[], item: TopicItem, now: number): readonly Row[];
  columns(capabilities: TerminalCapabilities): readonly Column<Row>[];
  /** Updates data that the visible rows depend on. Called every second. */
  refresh(rows: readonly Row[]): Promise<void>;
  /** The details of a row. */
  describe(row: Row): Promise<string>;
  /** Replays a row and returns a message. Null for rows that cannot be replayed. */
  readonly replay: ((row: Row) => Promise<string>) | null;
  /** The URL of the row in the dashboard. */
  toUrl(row: Row): string;
}

type OpenScreen = NonNullable<Io['openScreen']>;

/** At most thirty frames per second. */
const FRAME_MS = 33;
const REFRESH_INTERVAL_MS = 1_000;

/** Text of the help panel. */
const HELP = `
  ↑ ↓  j k              Select a row
  PageUp PageDown       Scroll by one screen
  Home  g               Select the oldest row
  End  G                Select the newest row, and follow new rows
  d  Enter              Show details
  r                     Replay the delivery
  o                     Open the row in the dashboard
  q  Esc                Close this panel
  q  Ctrl-C             Quit`;

/**
 * Shows the stream until it ends or the user quits.
 * @returns `success` after `q`, `interrupted` after Ctrl-C or the end of the stream
 */
export async function showLive<Row>(
  stream: LiveStream,
  list: LiveList<Row>,
  context: Context,
  openScreen: OpenScreen,
): Promise<ExitCode> {
  const view = new LiveView(list, context, openScreen);
  try {
    return await Promise.race([view.follow(stream), view.exited]);
  } finally {
    view.close();
    // Closes the connection after the user has quit.
    void stream[Symbol.asyncIterator]().return?.();
  }
}

class LiveView<Row> {
  readonly #list: LiveList<Row>;
  readonly #context: Context;
  readonly #screen: Screen;
  readonly #refreshTimer: NodeJS.Timeout;
  #state: LiveState<Row>;
  #isDrawPending = false;
  #isOpen = true;
  #exit: (exitCode: ExitCode | Promise<never>) => void = () => {};
  /** Resolves with the exit code when the user quits. Rejects when an action has an internal error. */
  readonly exited = new Promise<ExitCode>((resolve) => {
    this.#exit = resolve;
  });

  constructor(list: LiveList<Row>, context: Context, openScreen: OpenScreen) {
    this.#list = list;
    this.#context = context;
    this.#screen = openScreen({
      onKey: (key) => this.#handleKey(key),
      onResize: (size) => this.#dispatch({ type: 'resize', size }),
      onNote: (text) => this.#showNote(text.trimEnd()),
    });
    this.#state = createState(this.#screen.size);
    this.#refreshTimer = setInterval(() => void this.#refresh(), REFRESH_INTERVAL_MS);
    this.#draw();
  }

  async follow(stream: LiveStream): Promise<ExitCode> {
    for await (const item of stream) {
      const isReset = item.type === 'reset';
      const rows = isReset ? [] : this.#list.applyItem(this.#state.rows, item, this.#context.now());
      this.#dispatch({ type: 'rows', rows });
      if (isReset) this.#showNote(RESET_NOTE);
    }
    return ExitCode.interrupted;
  }

  close(): void {
    this.#isOpen = false;
    clearInterval(this.#refreshTimer);
    this.#screen.close();
    // The alternate screen disappears, so the newest rows are printed to the normal one.
    const { io } = this.#context;
    const { rows, size } = this.#state;
    const newest = rows.slice(-visibleRowCount(size));
    if (newest.length > 0) io.write(renderTable(this.#list.columns(io), newest, io));
  }

  #dispatch(event: LiveEvent<Row>): void {
    this.#state = reduce(this.#state, event);
    this.#scheduleDraw();
  }

  #scheduleDraw(): void {
    if (this.#isDrawPending) return;
    this.#isDrawPending = true;
    setTimeout(() => this.#draw(), FRAME_MS);
  }

  #draw(): void {
    this.#isDrawPending = false;
    if (this.#isOpen) this.#screen.draw(renderFrame(this.#state, this.#list, this.#context.io));
  }

  async #refresh(): Promise<void> {
    // Without a connection, the data stays unchanged. The stream reports the lost connection.
    await this.#list.refresh(listVisibleRows(this.#state)).catch(() => {});
    this.#scheduleDraw();
  }

  #handleKey(key: string): void {
    const action = findAction(this.#state, key);
    this.#dispatch({ type: 'key', key });
    if (action !== null) this.#run(action).catch((error: unknown) => this.#exit(Promise.reject(error)));
  }

  async #run(action: LiveAction): Promise<void> {
    if (action === 'quit') return this.#exit(ExitCode.success);
    if (action === 'interrupt') return this.#exit(ExitCode.interrupted);
    if (action === 'help') return this.#dispatch({ type: 'panel', text: HELP });
    const row = findSelected(this.#state);
    if (row === undefined) return;
    try {
      if (action === 'details') this.#dispatch({ type: 'panel', text: await this.#list.describe(row) });
      else if (action === 'replay') this.#showNote((await this.#list.replay?.(row)) ?? '');
      else {
        const url = this.#list.toUrl(row);
        const isOpened = await openUrl(url, this.#context);
        this.#showNote(isOpened ? `Opened ${url}` : `No browser was found. Open: ${url}`);
      }
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      this.#showNote(error.message);
    }
  }

  #showNote(text: string): void {
    this.#dispatch({ type: 'note', text });
  }
}

/** Renders the view as lines that fit the screen. */
export function renderFrame<Row>(
  state: LiveState<Row>,
  list: Pick<LiveList<Row>, 'heading' | 'empty' | 'columns' | 'replay'>,
  capabilities: TerminalCapabilities,
): string[] {
  const { columns, rows } = state.size;
  const style = styleFor(capabilities);
  const bodyHeight = panelHeight(state.size);
  const body =
    state.panel?.lines.slice(state.panel.top, state.panel.top + bodyHeight) ??
    renderRows(state, list, capabilities);
  const lines = [
    style.bold(list.heading),
    ...body.slice(0, bodyHeight),
    ...Array<string>(Math.max(0, bodyHeight - body.length)).fill(''),
    style.yellow(state.note),
    style.dim(describeKeys(state, list.replay !== null)),
  ];
  return lines.slice(0, rows).map((line) => truncateLine({ ...capabilities, width: columns }, line));
}

function renderRows<Row>(
  state: LiveState<Row>,
  list: Pick<LiveList<Row>, 'empty' | 'columns'>,
  capabilities: TerminalCapabilities,
): string[] {
  const style = styleFor(capabilities);
  const visible = listVisibleRows(state);
  if (visible.length === 0) return ['', style.dim(list.empty)];
  const [selectedMark, otherMark] = [capabilities.unicode ? '❯ ' : '> ', '  '];
  const width = state.size.columns - selectedMark.length;
  const table = renderTable(list.columns(capabilities), visible, { ...capabilities, width });
  const [titles = '', ...lines] = table.split('\n');
  const selected = visible.indexOf(findSelected(state) as Row);
  return [
    otherMark + titles,
    ...lines.map((line, row) => (row === selected ? style.inverse(selectedMark + line) : otherMark + line)),
  ];
}

function describeKeys(state: LiveState<unknown>, canReplay: boolean): string {
  const replay = canReplay ? ['r replay'] : [];
  if (state.panel) {
    const { lines, top } = state.panel;
    const end = Math.min(lines.length, top + panelHeight(state.size));
    return ['↑↓ scroll', ...replay, 'o open', 'q back', `line ${end} of ${lines.length}`].join('  ');
  }
  const below = countRowsBelow(state);
  const selectKeys = below === 0 ? '↑↓ select' : `↓ ${below} newer`;
  return [selectKeys, ...replay, 'd details', 'o open', 'q quit', '? help'].join('  ');
}
