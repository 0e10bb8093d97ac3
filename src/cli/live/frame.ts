/** A live view as lines: as many as the screen has rows, none wider than its columns. Pure. */
import type { TerminalCapabilities } from '../io.ts';
import { truncateLine } from '../render/ansi.ts';
import { styleFor } from '../render/style.ts';
import { renderTable } from '../render/table.ts';
import type { LiveList } from './live-list.ts';
import { countRowsBelow, findSelected, type LiveState, listVisibleRows, panelHeight } from './live-state.ts';

/** What the keys do, for the panel of help. */
export const HELP = `
  ↑ ↓  j k              select a row
  PageUp PageDown       a screen up or down
  Home  g               the oldest
  End  G                the newest, also when more arrive
  d  Enter              all about it
  r                     replay the delivery
  o                     open it in the dashboard
  q  Esc                back
  q  Ctrl-C             quit`;

type FrameList<Row> = Pick<LiveList<Row>, 'heading' | 'empty' | 'columns' | 'replay'>;

export function renderFrame<Row>(
  state: LiveState<Row>,
  kind: FrameList<Row>,
  terminalCapabilities: TerminalCapabilities,
): string[] {
  const { columns, rows } = state.size;
  const style = styleFor(terminalCapabilities);
  const room = panelHeight(state.size);
  const body =
    state.panel?.lines.slice(state.panel.top, state.panel.top + room) ??
    renderRows(state, kind, terminalCapabilities);
  const lines = [
    style.bold(kind.heading),
    ...body.slice(0, room),
    ...Array<string>(Math.max(0, room - body.length)).fill(''),
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
