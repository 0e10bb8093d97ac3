/** The state of a live view, and how keys and stream items change it. */
import { wrapLines } from '../render/text-width.ts';
import type { ScreenSize } from './screen.ts';

/** Maximum number of rows. Older ones are removed from the view only. */
export const MAX_ROWS = 1_000;

/** Lines without rows: the heading, the titles, the note and the keys. */
const OTHER_LINES = 4;

/** A text that is shown instead of the rows. */
interface Panel {
  readonly text: string;
  /** The text, wrapped to the screen. */
  readonly lines: readonly string[];
  /** The first visible line. */
  readonly top: number;
}

/** Rows are identified by their ordinal, which does not change when older rows are removed. */
export interface LiveState<Row> {
  readonly rows: readonly Row[];
  /** Ordinal of the first row: the number of removed rows. */
  readonly first: number;
  /** Ordinal of the selected row; null follows the newest row. */
  readonly selected: number | null;
  /** Ordinal of the first visible row. */
  readonly top: number;
  readonly panel: Panel | null;
  /** A message of one line. */
  readonly note: string;
  readonly size: ScreenSize;
}

export type LiveEvent<Row> =
  | { readonly type: 'rows'; readonly rows: readonly Row[] }
  | { readonly type: 'key'; readonly key: string }
  | { readonly type: 'panel'; readonly text: string }
  | { readonly type: 'note'; readonly text: string }
  | { readonly type: 'resize'; readonly size: ScreenSize };

/** An action that a key starts, in addition to changing the state. */
export type LiveAction = 'quit' | 'interrupt' | 'details' | 'replay' | 'open' | 'help';

export function createState<Row>(size: ScreenSize): LiveState<Row> {
  return { rows: [], first: 0, selected: null, top: 0, panel: null, note: '', size };
}

export function reduce<Row>(state: LiveState<Row>, event: LiveEvent<Row>): LiveState<Row> {
  switch (event.type) {
    case 'rows':
      return clampState({ ...state, rows: event.rows });
    case 'note':
      return { ...state, note: event.text };
    case 'panel':
      return {
        ...state,
        panel: { text: event.text, lines: wrapLines(state.size.columns, event.text), top: 0 },
      };
    case 'resize':
      return clampState({
        ...state,
        size: event.size,
        panel: state.panel && rewrap(state.panel, event.size),
      });
    case 'key':
      return state.panel === null
        ? moveSelection(state, event.key)
        : scrollPanel(state, state.panel, event.key);
  }
}

/** The action of a key; null if the key only changes the state, or does nothing. */
export function findAction(state: LiveState<unknown>, key: string): LiveAction | null {
  if (key === 'ctrl-c') return 'interrupt';
  if (key === 'q' && state.panel === null) return 'quit';
  if (key === '?' && state.panel === null) return 'help';
  if (state.rows.length === 0) return null;
  if (key === 'r') return 'replay';
  if (key === 'o') return 'open';
  return (key === 'd' || key === 'enter') && state.panel === null ? 'details' : null;
}

export function findSelected<Row>({ rows, first, selected }: LiveState<Row>): Row | undefined {
  return selected === null ? rows.at(-1) : rows[selected - first];
}

/** The rows that fit the screen. */
export function listVisibleRows<Row>({ rows, first, top, size }: LiveState<Row>): readonly Row[] {
  return rows.slice(top - first, top - first + visibleRowCount(size));
}

/** Number of rows below the visible ones. */
export function countRowsBelow({ rows, first, top, size }: LiveState<unknown>): number {
  return Math.max(0, first + rows.length - top - visibleRowCount(size));
}

/** Lines between the heading and the note. A panel has no titles. */
export function panelHeight({ rows }: ScreenSize): number {
  return Math.max(1, rows - OTHER_LINES + 1);
}

/** Number of rows that fit the screen. */
export function visibleRowCount({ rows }: ScreenSize): number {
  return Math.max(1, rows - OTHER_LINES);
}

function moveSelection<Row>(state: LiveState<Row>, key: string): LiveState<Row> {
  const newest = state.first + state.rows.length - 1;
  const target = move(key, state.selected ?? newest, state.first, newest, visibleRowCount(state.size));
  return target === null ? state : clampState({ ...state, selected: target });
}

function scrollPanel<Row>(state: LiveState<Row>, panel: Panel, key: string): LiveState<Row> {
  if (['q', 'd', 'enter', 'escape', '?'].includes(key)) return { ...state, panel: null };
  const height = panelHeight(state.size);
  const last = Math.max(0, panel.lines.length - height);
  const top = move(key, panel.top, 0, last, height);
  return top === null ? state : { ...state, panel: { ...panel, top } };
}

/** The position after a key, from `first` to `last`; null for a key that does not move. */
function move(key: string, position: number, first: number, last: number, page: number): number | null {
  const targets: Readonly<Record<string, number>> = {
    up: position - 1,
    k: position - 1,
    down: position + 1,
    j: position + 1,
    pageup: position - page,
    pagedown: position + page,
    ' ': position + page,
    home: first,
    g: first,
    end: last,
    G: last,
  };
  const target = targets[key];
  return target === undefined ? null : Math.max(first, Math.min(target, last));
}

/** Removes the oldest rows above the maximum, and keeps the selected row selected and visible. */
function clampState<Row>(state: LiveState<Row>): LiveState<Row> {
  const excess = Math.max(0, state.rows.length - MAX_ROWS);
  const rows = excess === 0 ? state.rows : state.rows.slice(excess);
  const first = state.first + excess;
  const newest = first + rows.length - 1;
  const lastTop = Math.max(first, newest - visibleRowCount(state.size) + 1);
  if (state.selected === null || state.selected >= newest) {
    return { ...state, rows, first, selected: null, top: lastTop };
  }
  const selected = Math.max(first, state.selected);
  const top = Math.max(selected - visibleRowCount(state.size) + 1, Math.min(state.top, selected, lastTop));
  return { ...state, rows, first, selected, top: Math.max(first, top) };
}

function rewrap({ text, top }: Panel, size: ScreenSize): Panel {
  const lines = wrapLines(size.columns, text);
  return { text, lines, top: Math.max(0, Math.min(top, lines.length - panelHeight(size))) };
}
