/** The differences between two texts, line by line. */
import './text-comparison.css';
import { useMemo, useState } from 'preact/hooks';
import { type CollapsedRow, collapseEqual, diffLines } from '../../domain/line-diff.ts';

/** Number of unchanged lines that are shown before and after a change. */
const CONTEXT_LINES = 3;
/** Number of rows that are shown at first, and that the button adds. */
const ROWS_PER_STEP = 500;

interface ComparedText {
  readonly title: string;
  readonly text: string;
}

interface Props {
  /** What is compared. */
  readonly title: string;
  readonly left: ComparedText;
  readonly right: ComparedText;
}

export function TextComparison({ title, left, right }: Props) {
  const rows = useMemo(() => diffLines(left.text, right.text), [left.text, right.text]);
  const shownRows = useMemo(() => collapseEqual(rows, CONTEXT_LINES), [rows]);
  const isSame = rows.every(({ kind }) => kind === 'same');
  return (
    <section class="text-panel" aria-label={title}>
      <h4>
        {title} {isSame && <span class="muted">identical</span>}
      </h4>
      {!isSame && (
        <table class="text-comparison">
          <thead>
            <tr>
              <th scope="col">{left.title}</th>
              <th scope="col">{right.title}</th>
            </tr>
          </thead>
          <Rows rows={shownRows} />
        </table>
      )}
    </section>
  );
}

function Rows({ rows }: { readonly rows: readonly CollapsedRow[] }) {
  const [shownCount, setShownCount] = useState(ROWS_PER_STEP);
  const hiddenCount = rows.length - shownCount;
  return (
    <tbody>
      {rows.slice(0, shownCount).map((row, index) => (
        <Row key={String(index)} row={row} />
      ))}
      {hiddenCount > 0 && (
        <tr class="text-comparison-collapsed">
          <td colSpan={2}>
            <button type="button" onClick={() => setShownCount(shownCount + ROWS_PER_STEP)}>
              Show {Math.min(hiddenCount, ROWS_PER_STEP)} of {hiddenCount} more rows
            </button>
          </td>
        </tr>
      )}
    </tbody>
  );
}

function Row({ row }: { readonly row: CollapsedRow }) {
  if (row.kind === 'collapsed') {
    return (
      <tr class="text-comparison-collapsed">
        <td colSpan={2}>{row.count} unchanged lines</td>
      </tr>
    );
  }
  return (
    <tr class={`text-comparison-${row.kind}`}>
      <td class="text-comparison-left">
        {row.left !== null && <Line text={row.left} sign={row.kind === 'same' ? null : '−'} />}
      </td>
      <td class="text-comparison-right">
        {row.right !== null && <Line text={row.right} sign={row.kind === 'same' ? null : '+'} />}
      </td>
    </tr>
  );
}

function Line({ text, sign }: { readonly text: string; readonly sign: string | null }) {
  return (
    <>
      {sign !== null && (
        <>
          <span class="visually-hidden">{sign === '+' ? 'added' : 'removed'}</span>
          <span class="text-comparison-sign" aria-hidden="true">
            {sign}
          </span>
        </>
      )}
      {text}
    </>
  );
}
