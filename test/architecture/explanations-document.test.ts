/** Generates the tables of docs/reference/explanations.md from src/diagnosis. */
import { it } from 'vitest';
import { layers, type Row } from '../../src/diagnosis/layers.ts';
import { explanationSentences } from '../../src/diagnosis/sentences.ts';
import { transportProblems } from '../../src/diagnosis/transport-problems.ts';
import { expectGenerated, toTable } from '../support/documents.ts';

const MAX_PATTERN_CHARS = 60;
const MAX_PATTERNS = 2;

/** Code in a table cell. */
const code = (text: string) => `\`${text.replaceAll('|', '\\|').replaceAll('`', '’')}\``;
const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll(/(?:\{\w+\})+/g, code);
const cut = (text: string) =>
  text.length > MAX_PATTERN_CHARS ? `${text.slice(0, MAX_PATTERN_CHARS)}…` : text;
/** Without the conditions in front that exclude messages about data. */
const pattern = ({ source }: RegExp) => code(cut(source.replace(/^\^\(\?!.*?\(\?<!\[a-z\]\)/, '')));

function listMessages(says: readonly RegExp[]): string {
  const shown = says.slice(0, MAX_PATTERNS).map(pattern).join(' or ');
  return says.length > MAX_PATTERNS ? `${shown} or …` : shown;
}

function describeRow({ status, header, says, page, redirect, isEmpty, url, sentence }: Row): string {
  return [
    ...(status === undefined ? [] : [status.join(', ')]),
    ...(header === undefined ? [] : [`header ${code(header[0])} ${pattern(header[1])}`]),
    ...(redirect === undefined ? [] : [`redirect ${code(redirect)}`]),
    ...(says === undefined ? [] : [listMessages(says)]),
    ...(page === undefined ? [] : [`page ${pattern(page)}`]),
    ...(url === undefined ? [] : [`URL ${pattern(url)}`]),
    ...(isEmpty ? ['an empty body'] : []),
    ...(sentence === undefined ? [] : [`then: ${cell(sentence)}`]),
  ].join('; ');
}

/** A line for what all rows share, and a row for each that responds. */
function describeLayer(kind: string, { rows = [], sentence, ...layer }: (typeof layers)['csrf']): string {
  const shared = describeRow(layer);
  const evidence = new Map<string, string[]>();
  for (const { by = layer.by ?? '', ...row } of rows)
    evidence.set(by, [...(evidence.get(by) ?? []), describeRow(row)]);
  const cells = Array.from(evidence, ([by, parts]) => [by, parts.join('<br>')]);
  return [
    `### ${kind}`,
    cell(sentence),
    ...(shared === '' ? [] : [`${layer.by}: ${shared}`]),
    ...(cells.length === 0 ? [] : [toTable(['who', 'evidence'], cells)]),
  ].join('\n\n');
}

it('docs/reference/explanations.md lists every sentence of an explanation with the evidence that it needs', async () => {
  await expectGenerated('docs/reference/explanations.md', [
    Object.entries(layers)
      .map(([kind, layer]) => describeLayer(kind, layer))
      .join('\n\n'),
    toTable(
      ['sentence', 'evidence'],
      Object.values(explanationSentences).map(([sentence, evidence]) => [cell(sentence), evidence]),
    ),
    toTable(
      ['sentence', 'facts'],
      transportProblems.map(({ sentence, when }) => [
        cell(sentence),
        Object.entries(when)
          .map(([name, fact]) => `${name} ${fact instanceof RegExp ? pattern(fact) : `\`${fact}\``}`)
          .join(', '),
      ]),
    ),
  ]);
});
