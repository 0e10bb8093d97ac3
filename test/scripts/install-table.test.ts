import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';

interface InstallTable {
  updateTable(document: string, cells: readonly object[], order: readonly string[]): string;
}

const scripts = pathToFileURL(join(import.meta.dirname, '../../scripts/install-table.mjs')).href;
const { updateTable }: InstallTable = await import(scripts);

const order = ['npm 11/20', 'npm 11/24', 'pnpm 12/24'];
const works = { reason: null, status: 'works', seconds: 9, packages: 4, megabytes: 31.5 };
const unknown = { seconds: null, packages: null, megabytes: null };
const empty = `# Title\n\n<!-- Written by npm run test:install -->\n<!-- End of the written part -->\n\nMore.\n`;

it('updateTable writes one row for each result, in the given order, and keeps the text around the table', () => {
  const cells = [
    { manager: 'pnpm 12.3.0', node: '24.1.0', ...works },
    { manager: 'npm 11.5.2', node: '20.20.2', ...unknown, status: 'refused', reason: 'a | b' },
  ];
  expect(updateTable(empty, cells, order)).toBe(`# Title

<!-- Written by npm run test:install -->

| package manager | Node.js | works | seconds | packages | MB |
|---|---|---|---|---|---|
| npm 11.5.2 | 20.20.2 | no: a \\| b |  |  |  |
| pnpm 12.3.0 | 24.1.0 | yes | 9 | 4 | 31.5 |

<!-- End of the written part -->

More.
`);
});

it('updateTable replaces the rows that were measured again and keeps the others', () => {
  const first = updateTable(
    empty,
    [
      { manager: 'npm 11.5.2', node: '20.20.2', ...works },
      { manager: 'npm 11.5.2', node: '24.1.0', ...works, seconds: 80 },
    ],
    order,
  );
  const second = updateTable(first, [{ manager: 'npm 11.6.0', node: '24.2.0', ...works, seconds: 8 }], order);
  expect(second.match(/^\| npm.*$/gm)).toEqual([
    '| npm 11.5.2 | 20.20.2 | yes | 9 | 4 | 31.5 |',
    '| npm 11.6.0 | 24.2.0 | yes | 8 | 4 | 31.5 |',
  ]);
});

it('updateTable refuses a document without the two markers', () => {
  expect(() => updateTable('# Title\n', [], order)).toThrow('The document needs');
});
