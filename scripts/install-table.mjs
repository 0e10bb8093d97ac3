// The table of docs/contributing/installation.md: one row for each package manager and Node.js version.

export const BEGIN = '<!-- Written by npm run test:install -->';
export const END = '<!-- End of the written part -->';

const HEADER = [
  '| package manager | Node.js | works | seconds | packages | MB |',
  '|---|---|---|---|---|---|',
];

const verdicts = { works: 'yes', refused: 'no', broken: 'no', 'not run': 'not run' };

/**
 * Replaces the rows of a document that were measured again, and keeps the others.
 * @param results those of scripts/test-install.mjs
 * @param order the keys of all possible rows in their order, such as `npm 11/20`
 */
export function updateTable(document, results, order) {
  const [before, rest, tooMany] = document.split(BEGIN);
  const [table, after] = (rest ?? '').split(END);
  if (after === undefined || tooMany !== undefined)
    throw new Error(`The document needs ${BEGIN} and ${END}, once each.`);
  const rows = new Map([
    ...table.split('\n').filter(isRow).map(toEntry),
    ...results.map(formatRow).map(toEntry),
  ]);
  const inOrder = order.map((key) => rows.get(key)).filter((row) => row !== undefined);
  return [before, BEGIN, '\n\n', [...HEADER, ...inOrder].join('\n'), '\n\n', END, after].join('');
}

/** `npm 11/24` for `npm 11.21.2` and `24.21.0`. */
export function rowKey(manager, node) {
  return `${manager.split('.')[0]}/${node.split('.')[0]}`;
}

export function formatRow({ manager, node, status, reason, seconds, packages, megabytes }) {
  const figures = [seconds, packages, megabytes].map((figure) => figure ?? '');
  const verdict = verdicts[status];
  const text = reason === null ? verdict : `${verdict}: ${reason.replaceAll('|', '\\|')}`;
  return `| ${[manager, node, text, ...figures].join(' | ')} |`;
}

function isRow(line) {
  return line.startsWith('| ') && line !== HEADER[0];
}

function toEntry(row) {
  const [, manager, node] = row.split('|').map((cell) => cell.trim());
  return [rowKey(manager, node), row];
}
