/** Finds the tests of each statement from the titles of the tests, without running them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Statement, sections } from './statements.ts';

/** A test whose title ends in references, such as `… [§6.3, signature.tolerance]`. */
export interface TaggedTest {
  /** Relative to the folder of the tests, with `/`. */
  readonly file: string;
  /** Without the references. */
  readonly title: string;
  readonly references: readonly string[];
}

// A call of `it`, `test` or the result of their `.each`, whose first argument is a string that ends in brackets.
const TITLE =
  /(?:(?:\bit|\w*[tT]est)(?:\.\w+)*|[)`])\(\s*(['"`])((?:\\.|(?!\1)[^\\])*?)\s*\[([^[\]]+)\]\1\s*,/g;
const COMMENT_LINE = /^\s*(?:\/\/|\/?\*).*$/gm;

/** The tagged tests of one file. */
export function findTaggedTests(file: string, source: string): TaggedTest[] {
  return Array.from(source.replace(COMMENT_LINE, '').matchAll(TITLE), (match) => ({
    file,
    title: (match[2] ?? '').replace(/\\(.)/g, '$1'),
    references: (match[3] ?? '').split(',').map((reference) => reference.trim()),
  }));
}

/** The tagged tests of every `*.test.ts` under `folder`, in the order of their files. */
export function readTaggedTests(folder: string): TaggedTest[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => path.replaceAll('\\', '/'))
    .sort()
    .flatMap((path) => findTaggedTests(path, readFileSync(join(folder, path), 'utf8')));
}

export function listTestsOf(statement: Statement, tests: readonly TaggedTest[]): TaggedTest[] {
  return tests.filter((test) => test.references.includes(statement.id));
}

/** The Markdown page that maps each statement to the files of its tests. */
export function renderConformance(statements: readonly Statement[], tests: readonly TaggedTest[]): string {
  const tables = sections.map((section) => {
    const inSection = statements.filter((statement) => statement.section === section);
    const isGaps = inSection.every(({ id }) => !id.startsWith('§'));
    const head = isGaps ? '| gap | tests |\n|---|---|' : '| reference | statement | tests |\n|---|---|---|';
    const rows = inSection.map((statement) => {
      const name = isGaps ? linkGap(statement.id) : `${statement.id} | ${cell(statement.text)}`;
      return `| ${name} | ${renderTests(statement, tests)} |`;
    });
    return `## ${section}\n\n${head}\n${rows.join('\n')}\n`;
  });
  return `${INTRODUCTION}\n${tables.join('\n')}`;
}

const INTRODUCTION = `# Conformance

This page lists each statement of the [service description](../service.md) and each gap of the [gap register](../gaps.md) with the test files in \`test/\`
that cover it. The titles of the tests end with the reference: \`grep -rn '[[ ]§6\\.3[],]' test\`. An arrow (→) points to statements whose tests also cover
this one.

\`npx vitest run test/conformance --update\` generates the page from these titles.
`;

/** docs/gaps.md has the question. */
function linkGap(id: string): string {
  return `[${id}](../gaps.md#${id.replaceAll('.', '')})`;
}

function renderTests(statement: Statement, tests: readonly TaggedTest[]): string {
  const files = new Set(listTestsOf(statement, tests).map(({ file }) => file.replace(/\.test\.ts$/, '')));
  const references = statement.coveredBy ? [`→ ${statement.coveredBy.join(', ')}`] : [];
  return [...Array.from(files, (file) => `\`${file}\``), ...references].join(', ') || '**no test**';
}

/** Text for a table cell: on one line, with `|` escaped, and `<` escaped outside of backticks. */
function cell(text: string): string {
  const parts = text.replace(/\s+/g, ' ').replaceAll('|', '\\|').split('`');
  return parts.map((part, index) => (index % 2 ? part : part.replaceAll('<', '&lt;'))).join('`');
}
