/** The differences between two attempts. */
import { useId, useState } from 'preact/hooks';
import type { AttemptDetail } from '../../../contract/delivery-schemas.ts';
import { describeOutcome } from '../../../domain/delivery.ts';
import { indentJson } from '../../../domain/json.ts';
import { TextComparison } from '../../ui/text-comparison.tsx';
import { formatHeaders } from './attempt-formats.ts';

interface Props {
  readonly attempts: readonly AttemptDetail[];
  readonly attempt: AttemptDetail;
}

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
        <TextComparison
          key={title}
          title={title}
          left={{ title: `Attempt ${left.number}`, text: toText(left) }}
          right={{ title: `Attempt ${right.number}`, text: toText(right) }}
        />
      ))}
    </div>
  );
}
