import { describe, expect, it } from 'vitest';
import {
  countRowsBelow,
  createState,
  findAction,
  findSelected,
  type LiveEvent,
  type LiveState,
  listVisibleRows,
  MAX_ROWS,
  reduce,
} from '../../../src/cli/live/live-state.ts';

/** A view of this size has space for six rows. */
const size = { columns: 80, rows: 10 };

type State = LiveState<string>;

function pressed(state: State, ...events: readonly (LiveEvent<string> | string)[]): State {
  return events.reduce<State>(
    (before, event) => reduce(before, typeof event === 'string' ? { type: 'key', key: event } : event),
    state,
  );
}

/** `row 0` to `row <count - 1>` */
function rowsEvent(count: number): LiveEvent<string> {
  return { type: 'rows', rows: Array.from({ length: count }, (_, row) => `row ${row}`) };
}

function withRows(count: number): State {
  return pressed(createState<string>(size), rowsEvent(count));
}

describe('the selection', () => {
  it('the selection follows the newest row by default', () => {
    expect(findSelected(withRows(20))).toBe('row 19');
    expect(listVisibleRows(withRows(20))).toEqual([
      'row 14',
      'row 15',
      'row 16',
      'row 17',
      'row 18',
      'row 19',
    ]);
  });

  it.each([
    [['up'], 'row 18'],
    [['k', 'k'], 'row 17'],
    [['k', 'j'], 'row 19'],
    [['up', 'up', 'down'], 'row 18'],
    [['j'], 'row 19'],
    [['pageup'], 'row 13'],
    [['pageup', 'pagedown'], 'row 19'],
    [['home'], 'row 0'],
    [['g', 'up'], 'row 0'],
    [['g', ' '], 'row 6'],
    [['g', 'G'], 'row 19'],
    [['home', 'end'], 'row 19'],
    [['x'], 'row 19'],
  ])('the selection after %j is %s, which is visible', (keys, row) => {
    const state = pressed(withRows(20), ...keys);
    expect(findSelected(state)).toBe(row);
    expect(listVisibleRows(state)).toContain(row);
    expect(listVisibleRows(state)).toHaveLength(6);
  });

  it('the selection and the visible rows stay the same when new rows arrive', () => {
    const before = pressed(withRows(20), 'up', 'up');
    const state = pressed(before, rowsEvent(25));
    expect(findSelected(state)).toBe('row 17');
    expect(listVisibleRows(state)).toEqual(listVisibleRows(before));
    expect(countRowsBelow(state)).toBe(5);
  });

  it('the selection follows the newest row again after it reached that row', () => {
    expect(findSelected(pressed(withRows(20), 'up', 'down', rowsEvent(25)))).toBe('row 24');
  });

  it('no row is selected in an empty view', () => {
    const state = pressed(createState<string>(size), 'up', 'down', 'home');
    expect(findSelected(state)).toBeUndefined();
    expect(listVisibleRows(state)).toEqual([]);
  });

  it('the selection stays visible when the terminal becomes smaller and larger', () => {
    const small = pressed(withRows(20), 'home', 'j', 'j', 'j', 'j', {
      type: 'resize',
      size: { columns: 60, rows: 6 },
    });
    expect(listVisibleRows(small)).toEqual(['row 3', 'row 4']);
    const large = pressed(small, { type: 'resize', size });
    expect(listVisibleRows(large)).toHaveLength(6);
    expect(listVisibleRows(large)).toContain('row 4');
  });
});

describe('many rows', () => {
  it('the oldest rows are removed above the maximum, and the selection stays on its row', () => {
    const selected = pressed(withRows(MAX_ROWS), ...Array<string>(10).fill('up'));
    const [oldest, ...rest] = selected.rows;
    const state = pressed(selected, { type: 'rows', rows: [oldest ?? '', ...rest, 'new 1', 'new 2'] });
    expect(state.rows).toHaveLength(MAX_ROWS);
    expect(state.rows[0]).toBe('row 2');
    expect(findSelected(state)).toBe(findSelected(selected));
    expect(listVisibleRows(state)).toEqual(listVisibleRows(selected));
  });

  it('the selection moves to the oldest remaining row when its row is removed', () => {
    const selected = pressed(withRows(MAX_ROWS), 'home');
    const state = pressed(selected, { type: 'rows', rows: [...selected.rows, 'new 1', 'new 2'] });
    expect(findSelected(state)).toBe('row 2');
    expect(listVisibleRows(state)[0]).toBe('row 2');
  });
});

describe('a panel', () => {
  const text = Array.from({ length: 30 }, (_, line) => `line ${line}`).join('\n');
  const open = pressed(withRows(3), { type: 'panel', text });
  const topOf = ({ panel }: State) => panel?.lines[panel.top];

  it.each([
    [[], 'line 0'],
    [['down', 'j'], 'line 2'],
    [['pagedown'], 'line 7'],
    [['end'], 'line 23'],
    [['end', 'down'], 'line 23'],
    [['end', 'k'], 'line 22'],
    [['up'], 'line 0'],
  ])('the first visible line of a panel after %j is %s', (keys, line) => {
    expect(topOf(pressed(open, ...keys))).toBe(line);
  });

  it.each(['q', 'd', 'enter', 'escape', '?'])('the key %s closes a panel and restores the view', (key) => {
    expect(pressed(open, key)).toEqual(withRows(3));
  });

  it('a panel wraps its text again when the width changes, and cannot scroll beyond the end', () => {
    const long = pressed(withRows(3), { type: 'panel', text: 'x'.repeat(300) });
    expect(long.panel?.lines).toHaveLength(4);
    const narrow = pressed(long, { type: 'resize', size: { columns: 10, rows: 10 } }, 'end');
    expect(narrow.panel).toMatchObject({ lines: Array(30).fill('x'.repeat(10)), top: 23 });
    expect(pressed(narrow, { type: 'resize', size }).panel?.top).toBe(0);
  });
});

describe('findAction', () => {
  const list = withRows(3);
  const panel = pressed(list, { type: 'panel', text: '' });
  const empty = createState<string>(size);

  it.each([
    ['q', 'quit', null, 'quit'],
    ['ctrl-c', 'interrupt', 'interrupt', 'interrupt'],
    ['?', 'help', null, 'help'],
    ['d', 'details', null, null],
    ['enter', 'details', null, null],
    ['r', 'replay', 'replay', null],
    ['o', 'open', 'open', null],
    ['up', null, null, null],
    ['x', null, null, null],
  ])(
    'the key %s means %s in the list, %s in a panel and %s without rows',
    (key, inList, inPanel, inEmpty) => {
      expect([list, panel, empty].map((state) => findAction(state, key))).toEqual([inList, inPanel, inEmpty]);
    },
  );
});
