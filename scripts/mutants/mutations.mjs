// Finds the mutations of a TypeScript source text, and writes all of them into it, so that each can be switched on while it runs.
import { parseAst } from 'rolldown/parseAst';

/** Operators and methods, and what a mutation replaces them with. */
const OPERATORS = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '+=': '-=',
  '-=': '+=',
  '??=': '=',
  '++': '--',
  '--': '++',
};
const METHODS = {
  some: 'every',
  every: 'some',
  min: 'max',
  max: 'min',
  floor: 'ceil',
  ceil: 'floor',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
};
/** Methods that return the same kind of value as their object, so that the call can be left out. */
const REMOVABLE_METHODS = new Set([
  'filter',
  'slice',
  'trim',
  'toSorted',
  'sort',
  'toReversed',
  'reverse',
  'toLowerCase',
]);

const SQL = /\b(?:SELECT|UPDATE|DELETE|WHERE|AND|ORDER BY)\b/;
/** What a mutation replaces in SQL: a condition always holds, a limit moves by one, an order is reversed. */
const SQL_MUTATIONS = [
  [/\b(WHERE|AND)\s+([\w."]+\s*(?:=|<>|!=|<=?|>=?|IS NOT|IS)\s*[\w?.@:]+)/g, '$1 ($2 OR 1)'],
  [/ <= /g, ' < '],
  [/ >= /g, ' > '],
  [/ < /g, ' <= '],
  [/ > /g, ' >= '],
  [/\bASC\b/g, 'DESC'],
  [/\bDESC\b/g, 'ASC'],
];

const TRANSPARENT_TYPES = new Set(['TSAsExpression', 'TSNonNullExpression', 'TSSatisfiesExpression']);

/**
 * @returns the mutations of a source text, in its order: `start` and `end` of the code, the `replacement` that runs instead, its `line`
 * and `column`, and a `name` such as `a < b → a <= b`.
 */
export function findMutations(text, lang = 'ts') {
  const found = [];
  walk(parseAst(text, { lang }), { isInChain: false, found, text });
  return found
    .map((mutation) => {
      const lines = text.slice(0, mutation.at).split('\n');
      return { ...mutation, line: lines.length, column: lines.at(-1).length + 1 };
    })
    .sort((a, b) => a.at - b.at);
}

/**
 * Returns the source text with all mutations. Each asks `__mutant(id)` whether it is switched on, which also shows that it was reached.
 * @param firstId the ID of the first mutation; the others follow in the order of `mutations`
 */
export function withMutations(text, mutations, firstId) {
  const sites = new Map();
  for (const [index, mutation] of mutations.entries()) {
    const { start, end, kind } = mutation;
    const key = `${start} ${end} ${kind}`;
    const site = sites.get(key) ?? { start, end, kind, mutants: [] };
    site.mutants.push({ id: firstId + index, replacement: mutation.replacement });
    sites.set(key, site);
  }
  // An outer site comes before the sites in it. A statement and its expression can have the same range.
  const order = ['statement', 'expression'];
  const sorted = [...sites.values()].sort(
    (a, b) => a.start - b.start || b.end - a.end || order.indexOf(a.kind) - order.indexOf(b.kind),
  );
  let next = 0;
  const render = (start, end) => {
    let result = '';
    let position = start;
    while (sorted[next] && sorted[next].start >= position && sorted[next].end <= end) {
      const site = sorted[next++];
      result += text.slice(position, site.start) + renderSite(site, render(site.start, site.end));
      position = site.end;
    }
    return result + text.slice(position, end);
  };
  return render(0, text.length);
}

function renderSite({ kind, mutants }, original) {
  if (kind === 'statement') return `{ if (__mutant(${mutants[0].id})) {} else { ${original} } }`;
  const switched = mutants.map(({ id, replacement }) => `__mutant(${id}) ? (${replacement}) : `).join('');
  return `(${switched}(${original}))`;
}

/** Adds the mutations of a node and of its children to `found`. */
function walk(node, state) {
  if (node === null || typeof node !== 'object' || typeof node.type !== 'string') return;
  if (TRANSPARENT_TYPES.has(node.type)) return walk(node.expression, state);
  if (/^TS|^Import(?!Expression)|^Export(?:All|Specifier)/.test(node.type)) return;
  addMutations(node, state);
  for (const [key, child] of Object.entries(node)) {
    if (key === 'key' && !node.computed) continue;
    // Only the outermost part of `a?.b.c()` can be replaced as a whole.
    const isChained = (key === 'object' || key === 'callee') && (state.isInChain || node.optional);
    const childState = { ...state, isInChain: node.type === 'ChainExpression' || isChained };
    // A tag needs its template.
    const parts = key === 'quasi' ? child.expressions : child;
    for (const part of Array.isArray(parts) ? parts : [parts]) walk(part, childState);
  }
}

function addMutations(node, { found, text, isInChain }) {
  const source = (part) => text.slice(part.start, part.end);
  const add = (site, replacement, { name, at = site.start, kind = 'expression' } = {}) => {
    const shown = name ?? `${oneLine(source(site))} → ${oneLine(replacement)}`;
    found.push({ start: site.start, end: site.end, kind, replacement, name: shown, at });
  };
  /** Replaces one part of the node. */
  const replace = (start, end, replacement, options) =>
    add(node, text.slice(node.start, start) + replacement + text.slice(end, node.end), options);
  const replaceOperator = (left, right) => {
    const other = OPERATORS[node.operator];
    if (other === undefined) return;
    const start = text.indexOf(node.operator, left);
    if (start < right) replace(start, start + node.operator.length, other);
  };
  const addWithoutAwait = (awaited) =>
    add(awaited, source(awaited.argument), { name: `${oneLine(source(awaited))}: await removed` });

  switch (node.type) {
    case 'BinaryExpression': {
      const isText = [node.left, node.right].some(
        (side) => side.type === 'TemplateLiteral' || typeof side.value === 'string',
      );
      if (!(node.operator === '+' && isText)) replaceOperator(node.left.end, node.right.start);
      return;
    }
    case 'LogicalExpression':
      add(node, source(node.left));
      if (node.operator !== '??') add(node, source(node.right));
      return;
    case 'UnaryExpression':
      if (node.operator === '!' || node.operator === '-') add(node, source(node.argument));
      return;
    case 'AssignmentExpression':
      return replaceOperator(node.left.end, node.right.start);
    case 'UpdateExpression':
      return node.prefix
        ? replaceOperator(node.start, node.end)
        : replaceOperator(node.argument.end, node.end);
    case 'Literal':
      if (typeof node.value === 'boolean') add(node, String(!node.value));
      if (typeof node.value === 'number') add(node, String(node.value + 1));
      if (typeof node.value === 'string') addSql(node, text, replace);
      return;
    case 'TemplateLiteral':
      return addSql(node, text, replace);
    case 'IfStatement':
    case 'ConditionalExpression':
      add(node.test, 'true');
      add(node.test, 'false');
      return;
    case 'WhileStatement':
    case 'ForStatement':
      if (node.test && node.test.value !== true) add(node.test, 'false');
      return;
    case 'CallExpression': {
      const { callee } = node;
      if (callee.type !== 'MemberExpression' || callee.computed) return;
      const method = callee.property.name;
      if (isInChain || node.optional || callee.optional) return;
      const { start, end } = callee.property;
      const other = Object.hasOwn(METHODS, method) ? METHODS[method] : undefined;
      if (other) replace(start, end, other, { name: `.${method}() → .${other}()`, at: start });
      if (REMOVABLE_METHODS.has(method)) {
        add(node, source(callee.object), {
          name: `.${oneLine(text.slice(start, node.end))} removed`,
          at: start,
        });
      }
      return;
    }
    case 'ArrowFunctionExpression': {
      // A condition that a callback returns, such as that of a filter.
      const { body } = node;
      if (body.type === 'BinaryExpression' && /^[=!<>]/.test(body.operator)) add(body, 'true');
      if (body.type === 'LogicalExpression' && body.operator !== '??') add(body, 'true');
      return;
    }
    case 'ExpressionStatement': {
      if (node.directive || node.expression.callee?.type === 'Super') return;
      add(node, '', { name: `${oneLine(source(node))} removed`, kind: 'statement' });
      if (node.expression.type === 'AwaitExpression') addWithoutAwait(node.expression);
      return;
    }
    case 'ReturnStatement':
      if (node.argument === null) add(node, '', { name: 'return removed', kind: 'statement' });
      if (node.argument?.type === 'AwaitExpression') addWithoutAwait(node.argument);
      return;
    case 'ContinueStatement':
      add(node, '', { name: 'continue removed', kind: 'statement' });
      return;
  }
}

function addSql(node, text, replace) {
  const code = text.slice(node.start, node.end);
  if (!SQL.test(code)) return;
  for (const [pattern, replacement] of SQL_MUTATIONS) {
    for (const match of code.matchAll(pattern)) {
      const other = match[0].replace(new RegExp(pattern.source), replacement);
      const start = node.start + match.index;
      replace(start, start + match[0].length, other, {
        name: `SQL ${oneLine(match[0])} → ${oneLine(other)}`,
        at: start,
      });
    }
  }
}

function oneLine(code) {
  const line = code.replace(/\s+/g, ' ').trim();
  return line.length > 70 ? `${line.slice(0, 69)}…` : line;
}
