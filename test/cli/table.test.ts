import { describe, expect, it } from 'vitest';
import { renderTable } from '../../src/cli/render/table.ts';

const plain = { width: Number.POSITIVE_INFINITY, color: false, unicode: true };

describe('renderTable', () => {
  const columns = [
    { title: 'ID', value: ({ id }: { id: string }) => id },
    { title: 'NOTE', value: () => 'a note of some length', hideOrder: 1 },
    { title: 'URL', value: () => 'http://localhost:3000/a/long/path', canTruncate: true },
  ];
  const rows = [{ id: 'evt_1' }];

  it.each([
    [
      80,
      'ID     NOTE                   URL\nevt_1  a note of some length  http://localhost:3000/a/long/path',
    ],
    [60, 'ID     NOTE                   URL\nevt_1  a note of some length  http://localhost:3000/a/long/…'],
    [35, 'ID     URL\nevt_1  http://localhost:3000/a/lon…'],
    [25, 'ID     URL\nevt_1\n  http://localhost:3000…'],
  ])(
    'a table of %i columns truncates text, then hides columns, then wraps rows, and never truncates an ID',
    (width, text) => {
      expect(renderTable(columns, rows, { ...plain, width })).toBe(text);
    },
  );

  it('a column that is hidden if it is empty is shown if a row has a value', () => {
    const render = (...replays: string[]) =>
      renderTable(
        [
          { title: 'REPLAY OF', value: (of: string) => of, hideIfEmpty: true },
          { title: 'END', value: () => '|' },
        ],
        replays,
        plain,
      );
    expect(render('', '')).toBe('END\n|\n|');
    expect(render('', 'del_1')).toBe('REPLAY OF  END\n           |\ndel_1      |');
  });

  const names = (width: number, ...values: string[]) =>
    renderTable(
      [
        { title: 'NAME', value: (name: string) => name, canTruncate: true },
        { title: 'END', value: () => '|' },
      ],
      values,
      { ...plain, width },
    ).split('\n');

  it('wide characters and emoji take two columns, and combining characters take none', () => {
    expect(names(80, '日本', '👩‍👩‍👧', 'e\u0301', 'plain')).toEqual([
      'NAME   END',
      '日本   |',
      '👩‍👩‍👧     |',
      'e\u0301      |',
      'plain  |',
    ]);
  });

  it('each value is computed once, and every row has the same columns', () => {
    const many = Array.from({ length: 100 }, (_, number) => ({
      id: `evt_${String(number).padStart(5, '0')}`,
    }));
    let widthReads = 0;
    const counted = columns.map((column) => ({
      ...column,
      value: (row: { id: string }) => {
        widthReads++;
        return column.value(row);
      },
    }));
    const lines = renderTable(counted, many, { ...plain, width: 60 }).split('\n');
    expect(widthReads).toBe(many.length * columns.length);
    const ofOne = (row: { id: string }) =>
      renderTable(columns, [row], { ...plain, width: 60 }).split('\n')[1];
    expect(lines.slice(1)).toEqual(many.map(ofOne));
  });

  it('a row stays on one line, regardless of its values [output.tables]', () => {
    expect(names(80, 'a\nb\x1b[2J')).toEqual(['NAME         END', 'a\\nb\\x1b[2J  |']);
  });

  it('an empty column is hidden before any other', () => {
    const empty = { title: 'REVOKED', value: () => '' };
    const [head] = renderTable([...columns, empty], rows, { ...plain, width: 60 }).split('\n');
    expect(head).toBe('ID     NOTE                   URL');
  });
});
