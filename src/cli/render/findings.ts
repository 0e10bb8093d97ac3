import type { Finding, FindingStatus } from '../../control/finding.ts';
import type { Look } from '../io.ts';
import { renderAdvisedTable } from './advised-table.ts';
import { styleFor } from './style.ts';

const symbols = {
  ok: '✓',
  warning: '!',
  problem: '✗',
  skipped: '–',
} as const satisfies Record<FindingStatus, string>;

/** A table of what was found, and under each finding that needs it what to do. Nothing is cut: all of it is needed. */
export function renderFindings(findings: readonly Finding[], look: Look): string {
  return renderAdvisedTable(
    [
      { title: 'STATUS', value: ({ status }) => paint(status, look) },
      { title: 'WHAT', value: ({ title }) => title },
      { title: 'FOUND', value: ({ detail }) => detail },
    ],
    findings,
    ({ remedy }) => remedy,
    look,
  );
}

function paint(status: FindingStatus, look: Look): string {
  const style = styleFor(look);
  const color = { ok: style.green, warning: style.yellow, problem: style.red, skipped: style.dim };
  return color[status](look.unicode ? `${symbols[status]} ${status}` : status);
}
