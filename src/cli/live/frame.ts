/** Renders a live view as lines that fit the screen. Pure. */
import type { TerminalCapabilities } from '../io.ts';
import { truncateLine } from '../render/ansi.ts';
import { styleFor } from '../render/style.ts';
import { renderTable } from '../render/table.ts';
import type { LiveList } from './live-list.ts';
import { countRowsBelow, findSelected, type LiveState, listVisibleRows, panelHeight } from './live-state.ts';

/** The help panel. */
export const HELP = `
  ↑ ↓  j k              Select a row
  PageUp PageDown       Scroll by one screen
  Home  g               Select the oldest row
  End  G                Select the newest row, and follow new rows
  d  Enter              Show details
  r                     Replay the delivery
  o                     Open the row in the dashboard
  q  Esc                Close this panel
  q  Ctrl-C             Quit`;

type FrameList<Row> = Pick<LiveList<Row>, 'heading' | 'empty' | 'columns' | 'replay'>;

export function renderFrame<Row>(
  state: LiveState<Row>,
  kind: FrameList<Row>,
  terminalCapabilities: TerminalCapabilities,
): string[] {
  const { columns, rows } = state.size;
  const style = styleFor(terminalCapabilities);
  const bodyHeight = panelHeight(state.size);
  const body =
    state.panel?.lines.slice(state.panel.top, state.panel.top + bodyHeight) ??
    renderRows(state, kind, terminalCapabilities);
  const lines = [
    style.bold(kind.heading),
    ...body.slice(0, bodyHeight),
    ...Array<string>(Math.max(0, bodyHeight - body.length)).fill(''),
    style.yellow(state.note),
    style.dim(describeKeys(state, kind.replay !== null)),
  ];
  return lines.slice(0, rows).map((line) => truncateLine({ ...terminalCapabilities, width: columns }, line));
}

function renderRows<Row>(
  state: LiveState<Row>,
  kind: FrameList<Row>,
  terminalCapabilities: TerminalCapabilities,
): string[] {
  const style = styleFor(terminalCapabilities);
  const visible = listVisibleRows(state);
  if (visible.length === 0) return ['', style.dim(kind.empty)];
  const [here, elsewhere] = [terminalCapabilities.unicode ? '❯ ' : '> ', '  '];
  const width = state.size.columns - here.length;
  const [titles = '', ...lines] = renderTable(kind.columns(terminalCapabilities), visible, {
    ...terminalCapabilities,
    width,
  }).split('\n');
  const selected = visible.indexOf(findSelected(state) as Row);
  return [
    elsewhere + titles,
    ...lines.map((line, row) => (row === selected ? style.inverse(here + line) : elsewhere + line)),
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
  const select = below === 0 ? '↑↓ select' : `↓ ${below} newer`;
  return [select, ...replay, 'd details', 'o open', 'q quit', '? help'].join('  ');
}
