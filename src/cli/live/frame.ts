/** Renders a live view as lines that fit the screen. */
import type { TerminalCapabilities } from '../io.ts';
import { truncateLine } from '../render/ansi.ts';
import { styleFor } from '../render/style.ts';
import { renderTable } from '../render/table.ts';
import type { LiveList } from './live-list.ts';
import { countRowsBelow, findSelected, type LiveState, listVisibleRows, panelHeight } from './live-state.ts';

/** Text of the help panel. */
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
  list: FrameList<Row>,
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
  list: FrameList<Row>,
  capabilities: TerminalCapabilities,
): string[] {
  const style = styleFor(capabilities);
  const visible = listVisibleRows(state);
  if (visible.length === 0) return ['', style.dim(list.empty)];
  const [selectedMark, otherMark] = [capabilities.unicode ? '❯ ' : '> ', '  '];
  const width = state.size.columns - selectedMark.length;
  const [titles = '', ...lines] = renderTable(list.columns(capabilities), visible, {
    ...capabilities,
    width,
  }).split('\n');
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
