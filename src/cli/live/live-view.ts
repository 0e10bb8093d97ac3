/** A live view in a terminal: what arrives, what is pressed and what is said, drawn together. */
import type { LiveStream } from '../../control/control-plane.ts';
import { ExitCode, SvcError } from '../../errors.ts';
import type { Context } from '../context.ts';
import type { Io } from '../io.ts';
import { openUrl } from '../open-url.ts';
import { RESET_NOTE } from '../render/reset.ts';
import { renderTable } from '../render/table.ts';
import { HELP, renderFrame } from './frame.ts';
import type { LiveList } from './live-list.ts';
import {
  createState,
  findCommand,
  findSelected,
  type LiveCommand,
  type LiveEvent,
  type LiveState,
  listVisibleRows,
  reduce,
  visibleRowCount,
} from './live-state.ts';
import type { Screen } from './screen.ts';

type OpenScreen = NonNullable<Io['openScreen']>;

/** Thirty frames a second, however much arrives. */
const FRAME_MS = 33;
const REFRESH_INTERVAL_MS = 1_000;

/** Shows the stream until the person leaves, or it ends. @returns `done` for who quits, `interrupted` otherwise. */
export async function showLive<Row>(
  stream: LiveStream,
  kind: LiveList<Row>,
  context: Context,
  openScreen: OpenScreen,
): Promise<ExitCode> {
  const view = new LiveView(kind, context, openScreen);
  try {
    return await Promise.race([view.follow(stream), view.exited]);
  } finally {
    view.close();
    // Where the person has left, this closes the connection.
    void stream[Symbol.asyncIterator]().return?.();
  }
}

class LiveView<Row> {
  readonly #kind: LiveList<Row>;
  readonly #context: Context;
  readonly #screen: Screen;
  readonly #refreshing: NodeJS.Timeout;
  #state: LiveState<Row>;
  #isStale = false;
  #isOpen = true;
  #leave: (exitCode: ExitCode | Promise<never>) => void = () => {};
  /** When and how the person left. */
  readonly exited = new Promise<ExitCode>((resolve) => {
    this.#leave = resolve;
  });

  constructor(kind: LiveList<Row>, context: Context, openScreen: OpenScreen) {
    this.#kind = kind;
    this.#context = context;
    this.#screen = openScreen({
      onKey: (key) => this.#press(key),
      onResize: (size) => this.#dispatch({ type: 'resize', size }),
      onNote: (text) => this.#dispatch({ type: 'note', text: text.trimEnd() }),
    });
    this.#state = createState(this.#screen.size);
    this.#refreshing = setInterval(() => void this.#refresh(), REFRESH_INTERVAL_MS);
    this.#draw();
  }

  async follow(stream: LiveStream): Promise<ExitCode> {
    for await (const item of stream) {
      const isReset = item.type === 'reset';
      const rows = isReset ? [] : this.#kind.add(this.#state.rows, item, this.#context.now());
      this.#dispatch({ type: 'rows', rows });
      if (isReset) this.#dispatch({ type: 'note', text: RESET_NOTE });
    }
    return ExitCode.interrupted;
  }

  close(): void {
    this.#isOpen = false;
    clearInterval(this.#refreshing);
    this.#screen.close();
    this.#leaveLastRows();
  }

  /** The alternate screen is gone with all that it showed: the newest rows stay in the normal one. */
  #leaveLastRows(): void {
    const { io } = this.#context;
    const { rows, size } = this.#state;
    const newest = rows.slice(-visibleRowCount(size));
    if (newest.length > 0) io.write(renderTable(this.#kind.columns(io), newest, io));
  }

  #dispatch(event: LiveEvent<Row>): void {
    this.#state = reduce(this.#state, event);
    this.#drawSoon();
  }

  #drawSoon(): void {
    if (this.#isStale) return;
    this.#isStale = true;
    setTimeout(() => this.#draw(), FRAME_MS);
  }

  #draw(): void {
    this.#isStale = false;
    if (this.#isOpen) this.#screen.draw(renderFrame(this.#state, this.#kind, this.#context.io));
  }

  async #refresh(): Promise<void> {
    // What cannot be asked for now stays as it was: that the connection is lost is said elsewhere.
    await this.#kind.refresh(listVisibleRows(this.#state)).catch(() => {});
    this.#drawSoon();
  }

  #press(key: string): void {
    const command = findCommand(this.#state, key);
    this.#dispatch({ type: 'key', key });
    if (command !== null) this.#obey(command).catch((fault: unknown) => this.#leave(Promise.reject(fault)));
  }

  async #obey(command: LiveCommand): Promise<void> {
    if (command === 'quit') return this.#leave(ExitCode.success);
    if (command === 'interrupt') return this.#leave(ExitCode.interrupted);
    if (command === 'help') return this.#dispatch({ type: 'panel', text: HELP });
    const row = findSelected(this.#state);
    if (row === undefined) return;
    try {
      if (command === 'details') this.#dispatch({ type: 'panel', text: await this.#kind.describe(row) });
      else this.#dispatch({ type: 'note', text: await this.#act(command, row) });
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      this.#dispatch({ type: 'note', text: error.message });
    }
  }

  /** @returns what to say of it. */
  async #act(command: 'open' | 'replay', row: Row): Promise<string> {
    if (command === 'replay') return (await this.#kind.replay?.(row)) ?? '';
    const url = this.#kind.toUrl(row);
    const isOpened = await openUrl(url, this.#context);
    return isOpened ? `Opened ${url}` : `No browser here: ${url}`;
  }
}
