import type { Finding, FindingStatus } from '../doctor/finding.ts';
import type { Look } from '../io.ts';
import { styleFor } from './style.ts';
import { renderTable } from './table.ts';

const symbols = {
  ok: '✓',
  warning: '!',
  problem: '✗',
  skipped: '–',
} as const satisfies Record<FindingStatus, string>;

/** A table of what was found, and under each finding that needs it what to do. Nothing is cut: all of it is needed. */
export function renderFindings(findings: readonly Finding[], look: Look): string {
  const table = renderTable(
    [
      { title: 'STATUS', value: ({ status }) => paint(status, look) },
      { title: 'WHAT', value: ({ title }) => title },
      { title: 'FOUND', value: ({ detail }) => detail },
    ],
    findings,
    { ...look, width: Number.POSITIVE_INFINITY },
  );
  const [head, ...lines] = table.split('\n');
  const arrow = look.unicode ? '→' : '->';
  const advised = lines.flatMap((line, index) => {
    const remedy = findings[index]?.remedy ?? null;
    return remedy === null ? [line] : [line, styleFor(look).cyan(`  ${arrow} ${remedy}`)];
  });
  return [head, ...advised].join('\n');
}

function paint(status: FindingStatus, look: Look): string {
  const style = styleFor(look);
  const color = { ok: style.green, warning: style.yellow, problem: style.red, skipped: style.dim };
  return color[status](look.unicode ? `${symbols[status]} ${status}` : status);
}
