/** The differences between an attempt and another one: the last success, one of the same delivery, or one of any delivery. */
import { useState } from 'preact/hooks';
import { describeOutcome } from '../../../domain/delivery.ts';
import { idPrefixes } from '../../../domain/ids.ts';
import { indentJson } from '../../../domain/json-text.ts';
import type { AttemptDetail } from '../../../resources/attempt.ts';
import type { DeliveryDetail } from '../../../resources/delivery.ts';
import { control } from '../../control.ts';
import { Field } from '../../ui/field.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { TextComparison } from '../../ui/text-comparison.tsx';
import { useQuery } from '../../use-query.ts';
import { formatDateTime } from '../clock/clock-format.ts';
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
            [LAST_SUCCESS]: `the last success of ${delivery.event_type}`,
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
                ? `No other delivery of ${delivery.event_type} has succeeded.`
                : 'Enter the ID of a delivery that was sent.'}
            </p>
          ) : (
            <Parts left={compared} right={toCompared(delivery, attempt)} />
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
    const { event_type: type, webhook_id: webhook } = delivery;
    const find = async (endpoint: object) => {
      const filter = { type, status: 'succeeded' as const, ...endpoint, limit: 2 };
      return (await control.listDeliveries(filter)).data.find((candidate) => candidate.id !== delivery.id);
    };
    const other = (await find({ webhook_id: webhook })) ?? (await find({}));
    return other === undefined ? null : load(other.id, ({ outcome }) => outcome === 'succeeded');
  }
  if (choice === OTHER_DELIVERY) return id.startsWith(idPrefixes.delivery) ? load(id, () => true) : null;
  const other = delivery.attempts.find(({ number }) => String(number) === choice) ?? attempt;
  return toCompared(delivery, other);
}

/** The last attempt of a delivery that `isWanted` selects. */
async function load(id: string, isWanted: (attempt: AttemptDetail) => boolean): Promise<Compared | null> {
  const delivery = await control.getDelivery({ id });
  const attempt = delivery.attempts.findLast(isWanted);
  return attempt === undefined ? null : toCompared(delivery, attempt);
}

function toCompared({ event_type: type }: DeliveryDetail, attempt: AttemptDetail): Compared {
  const time = formatDateTime(Date.parse(attempt.scheduled_at)).slice(11);
  return { title: `${type}, attempt ${attempt.number}, ${describeOutcome(attempt)}, ${time}`, attempt };
}

/** What differs between any two deliveries does not count as a difference: IDs, times, the length and the signature. */
function maskVaryingValues(text: string): string {
  return text
    .replace(/\b(\w+)_[0-9A-HJKMNP-TV-Z]{26}\b/g, '$1_…')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '…')
    .replace(/^([\w-]*(?:date|timestamp|signature|content-length|keep-alive)): .*$/gim, '$1: …');
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
          left={{ title: left.title, text: maskVaryingValues(toText(left.attempt)) }}
          right={{ title: right.title, text: maskVaryingValues(toText(right.attempt)) }}
        />
      ))}
    </>
  );
}
