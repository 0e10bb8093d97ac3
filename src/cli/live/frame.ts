/** A live view as lines: as many as the screen has rows, none wider than its columns. Pure. */
import type { Look } from '../io.ts';
import { cutLineTo } from '../render/painted.ts';
import { styleFor } from '../render/style.ts';
import { renderTable } from '../render/table.ts';
import type { LiveKind } from './kind.ts';
import { countBelow, findSelected, type LiveState, listVisible, panelRoom } from './state.ts';

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

type FrameKind<Row> = Pick<LiveKind<Row>, 'heading' | 'empty' | 'columns' | 'replay'>;

export function renderFrame<Row>(state: LiveState<Row>, kind: FrameKind<Row>, look: Look): string[] {
  const { columns, rows } = state.size;
  const style = styleFor(look);
  const room = panelRoom(state.size);
  const body =
    state.panel?.lines.slice(state.panel.top, state.panel.top + room) ?? renderRows(state, kind, look);
  const lines = [
    style.bold(kind.heading),
    ...body.slice(0, room),
    ...Array<string>(Math.max(0, room - body.length)).fill(''),
    style.yellow(state.note),
    style.dim(describeKeys(state, kind.replay !== null)),
  ];
  return lines.slice(0, rows).map((line) => cutLineTo({ ...look, width: columns }, line));
}

function renderRows<Row>(state: LiveState<Row>, kind: FrameKind<Row>, look: Look): string[] {
  const style = styleFor(look);
  const visible = listVisible(state);
  if (visible.length === 0) return ['', style.dim(kind.empty)];
  const [here, elsewhere] = [look.unicode ? '❯ ' : '> ', '  '];
  const width = state.size.columns - here.length;
  const [titles = '', ...lines] = renderTable(kind.columns(look), visible, { ...look, width }).split('\n');
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
    const end = Math.min(lines.length, top + panelRoom(state.size));
    return ['↑↓ scroll', ...replay, 'o open', 'q back', `line ${end} of ${lines.length}`].join('  ');
  }
  const below = countBelow(state);
  const select = below === 0 ? '↑↓ select' : `↓ ${below} newer`;
  return [select, ...replay, 'd details', 'o open', 'q quit', '? help'].join('  ');
}
