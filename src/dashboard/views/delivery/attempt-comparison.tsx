/** The differences between two attempts. */
import { useId, useState } from 'preact/hooks';
import type { AttemptDetail } from '../../../contract/delivery-schemas.ts';
import { describeOutcome } from '../../../domain/delivery.ts';
import { indentJson } from '../../../domain/json.ts';
import { formatHeaders } from './attempt-formats.ts';
import { type CollapsedRow, collapseEqual, diffLines } from './line-diff.ts';

interface Props {
  readonly attempts: readonly AttemptDetail[];
  readonly attempt: AttemptDetail;
}

/** Number of unchanged lines that are shown before and after a change. */
const CONTEXT_LINES = 3;

const parts: Record<string, (attempt: AttemptDetail) => string> = {
  'Request headers': ({ request }) => [`POST ${request.url}`, ...formatHeaders(request.headers)].join('\n'),
  'Request body': ({ request }) => indentJson(request.body),
  Response: ({ response, response_status: status, error }) =>
    response === null
      ? `None: ${error}`
      : [status, ...formatHeaders(response.headers), '', indentJson(response.body)].join('\n'),
};

export function AttemptComparison({ attempts, attempt }: Props) {
  const id = useId();
  const [selectedNumber, setSelectedNumber] = useState<number | null>(null);
  const otherAttempts = attempts.filter((candidate) => candidate !== attempt);
  const compared =
    otherAttempts.find((candidate) => candidate.number === selectedNumber) ??
    otherAttempts.findLast((candidate) => candidate.number < attempt.number) ??
    otherAttempts[0];
  if (compared === undefined) return null;
  const [left, right] = compared.number < attempt.number ? [compared, attempt] : [attempt, compared];
  return (
    <div class="http-message stack">
      <div class="row">
        <label class="row" for={id}>
          Compare with
        </label>
        <select
          id={id}
          value={compared.number}
          onChange={(event) => setSelectedNumber(Number(event.currentTarget.value))}
        >
          {otherAttempts.map((otherAttempt) => (
            <option key={otherAttempt.number} value={otherAttempt.number}>
              attempt {otherAttempt.number}, {describeOutcome(otherAttempt)}
            </option>
          ))}
        </select>
      </div>
      {Object.entries(parts).map(([title, toText]) => (
        <Part
          key={title}
          title={title}
          left={{ attempt: left, text: toText(left) }}
          right={{ attempt: right, text: toText(right) }}
        />
      ))}
    </div>
  );
}

interface Side {
  readonly attempt: AttemptDetail;
  readonly text: string;
}

interface PartProps {
  readonly title: string;
  readonly left: Side;
  readonly right: Side;
}

function Part({ title, left, right }: PartProps) {
  const rows = diffLines(left.text, right.text);
  const isSame = rows.every(({ kind }) => kind === 'same');
  return (
    <section class="text-panel" aria-label={title}>
      <h4>
        {title} {isSame && <span class="muted">identical</span>}
      </h4>
      {!isSame && (
        <table class="delivery-diff">
          <thead>
            <tr>
              <th scope="col">Attempt {left.attempt.number}</th>
              <th scope="col">Attempt {right.attempt.number}</th>
            </tr>
          </thead>
          <tbody>
            {collapseEqual(rows, CONTEXT_LINES).map((row, index) => (
              <Row key={String(index)} row={row} />
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function Row({ row }: { readonly row: CollapsedRow }) {
  if (row.kind === 'collapsed') {
    return (
      <tr class="delivery-diff-collapsed">
        <td colSpan={2}>{row.count} unchanged lines</td>
      </tr>
    );
  }
  return (
    <tr class={`delivery-diff-${row.kind}`}>
      <td class="delivery-diff-left">
        {row.left !== null && <Line text={row.left} sign={row.kind === 'same' ? null : '−'} />}
      </td>
      <td class="delivery-diff-right">
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
          <span class="delivery-diff-sign" aria-hidden="true">
            {sign}
          </span>
        </>
      )}
      {text}
    </>
  );
}
