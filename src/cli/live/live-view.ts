/** A live view in a terminal: draws the stream, handles keys and shows messages. */
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

/** At most thirty frames per second. */
const FRAME_MS = 33;
const REFRESH_INTERVAL_MS = 1_000;

/** Shows the stream until it ends or the user quits. @returns `success` when the user quits, `interrupted` otherwise */
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
    // Closes the connection after the user has quit.
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
  #exit: (exitCode: ExitCode | Promise<never>) => void = () => {};
  /** Resolves with the exit code when the user quits. */
  readonly exited = new Promise<ExitCode>((resolve) => {
    this.#exit = resolve;
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
    this.#printLastRows();
  }

  /** The alternate screen disappears, so the newest rows are printed to the normal one. */
  #printLastRows(): void {
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
    // Without a connection, the data stays unchanged. The stream reports the lost connection.
    await this.#kind.refresh(listVisibleRows(this.#state)).catch(() => {});
    this.#drawSoon();
  }

  #press(key: string): void {
    const command = findCommand(this.#state, key);
    this.#dispatch({ type: 'key', key });
    if (command !== null) this.#execute(command).catch((error: unknown) => this.#exit(Promise.reject(error)));
  }

  async #execute(command: LiveCommand): Promise<void> {
    if (command === 'quit') return this.#exit(ExitCode.success);
    if (command === 'interrupt') return this.#exit(ExitCode.interrupted);
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

  /** @returns a message */
  async #act(command: 'open' | 'replay', row: Row): Promise<string> {
    if (command === 'replay') return (await this.#kind.replay?.(row)) ?? '';
    const url = this.#kind.toUrl(row);
    const isOpened = await openUrl(url, this.#context);
    return isOpened ? `Opened ${url}` : `No browser was found. Open: ${url}`;
  }
}
