/** The differences between an attempt and another one: the last success, one of the same delivery, or one of any delivery. */
import { useState } from 'preact/hooks';
import type { AttemptDetail, DeliveryDetail } from '../../../contract/delivery-schemas.ts';
import { describeOutcome } from '../../../domain/delivery.ts';
import { idPrefixes } from '../../../domain/ids.ts';
import { indentJson } from '../../../domain/json.ts';
import { control } from '../../control.ts';
import { Field } from '../../ui/field.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { TextComparison } from '../../ui/text-comparison.tsx';
import { useQuery } from '../../use-query.ts';
import { formatHeaders } from './attempt-formats.ts';

interface Props {
  readonly delivery: DeliveryDetail;
  readonly attempt: AttemptDetail;
}

const LAST_SUCCESS = 'last success';
const OTHER_DELIVERY = 'other delivery';

interface Compared {
  readonly title: string;
  readonly attempt: AttemptDetail;
}

export function DeliveryComparison({ delivery, attempt }: Props) {
  const [choice, setChoice] = useState(LAST_SUCCESS);
  const [id, setId] = useState('');
  const query = useQuery(() => loadCompared(delivery, attempt, choice, id.trim()), [choice, id]);
  const others = delivery.attempts.filter(({ number }) => number !== attempt.number);
  return (
    <div class="stack">
      <div class="fields">
        <Field
          label="Compare with"
          name="choice"
          error={null}
          value={choice}
          onChange={setChoice}
          options={{
            [LAST_SUCCESS]: 'the last success to the same endpoint',
            ...Object.fromEntries(
              others.map((other) => [other.number, `attempt ${other.number}, ${describeOutcome(other)}`]),
            ),
            [OTHER_DELIVERY]: 'another delivery',
          }}
        />
        {choice === OTHER_DELIVERY && (
          <Field label="Delivery ID" name="id" error={null} value={id} onChange={setId} placeholder="del_…" />
        )}
      </div>
      <QueryView query={query} what="the other attempt">
        {(compared) =>
          compared === null ? (
            <p class="muted">
              {choice === LAST_SUCCESS
                ? 'No other delivery to this endpoint has succeeded.'
                : 'Enter the ID of a delivery that was sent.'}
            </p>
          ) : (
            <Parts left={compared} right={{ title: `Attempt ${attempt.number} (this one)`, attempt }} />
          )
        }
      </QueryView>
    </div>
  );
}

async function loadCompared(
  delivery: DeliveryDetail,
  attempt: AttemptDetail,
  choice: string,
  id: string,
): Promise<Compared | null> {
  if (choice === LAST_SUCCESS) {
    const { data } = await control.listDeliveries({
      webhook_id: delivery.webhook_id,
      status: 'succeeded',
      limit: 2,
    });
    const other = data.find((candidate) => candidate.id !== delivery.id);
    return other === undefined ? null : loadLast(other.id);
  }
  if (choice === OTHER_DELIVERY) return id.startsWith(idPrefixes.delivery) ? loadLast(id) : null;
  const other = delivery.attempts.find(({ number }) => String(number) === choice) ?? attempt;
  return { title: `Attempt ${other.number}`, attempt: other };
}

async function loadLast(id: string): Promise<Compared | null> {
  const attempt = (await control.getDelivery({ id })).attempts.at(-1);
  return attempt === undefined ? null : { title: id, attempt };
}

const parts: Record<string, (attempt: AttemptDetail) => string> = {
  Response: ({ response, response_status: status, error }) =>
    response === null
      ? `None: ${error}`
      : [status, ...formatHeaders(response.headers), '', indentJson(response.body)].join('\n'),
  Payload: ({ request }) => indentJson(request.body),
  'Request headers': ({ request }) => [`POST ${request.url}`, ...formatHeaders(request.headers)].join('\n'),
};

function Parts({ left, right }: { readonly left: Compared; readonly right: Compared }) {
  return (
    <>
      {Object.entries(parts).map(([title, toText]) => (
        <TextComparison
          key={title}
          title={title}
          left={{ title: left.title, text: toText(left.attempt) }}
          right={{ title: right.title, text: toText(right.attempt) }}
        />
      ))}
    </>
  );
}
