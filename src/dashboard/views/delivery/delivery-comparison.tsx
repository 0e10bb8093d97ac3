/** The differences between an attempt and the last success. */
import { describeOutcome } from '../../../domain/delivery.ts';
import { indentJson } from '../../../domain/json-text.ts';
import type { Attempt } from '../../../resources/attempt.ts';
import type { DeliveryDetail } from '../../../resources/delivery.ts';
import { control } from '../../control.ts';
import { QueryView } from '../../ui/query-view.tsx';
import { TextComparison } from '../../ui/text-comparison.tsx';
import { useQuery } from '../../use-query.ts';
import { formatDateTime } from '../clock/clock-format.ts';
import { formatHeaders } from './to-markdown.ts';

interface Props {
  readonly delivery: DeliveryDetail;
  readonly attempt: Attempt;
}

interface Compared {
  readonly title: string;
  readonly attempt: Attempt;
}

export function DeliveryComparison({ delivery, attempt }: Props) {
  const query = useQuery(() => findLastSuccess(delivery), []);
  return (
    <QueryView query={query} what="the last success">
      {(success) =>
        success === null ? (
          <p class="muted">No other delivery of {delivery.event_type} has succeeded.</p>
        ) : (
          <Parts left={success} right={toCompared(delivery, attempt)} />
        )
      }
    </QueryView>
  );
}

/** The last successful attempt of another delivery of the same type, to the same endpoint or else to any. */
async function findLastSuccess(delivery: DeliveryDetail): Promise<Compared | null> {
  const { id, event_type: type, webhook_id: webhook } = delivery;
  const find = async (endpoint: { readonly webhook_id?: string }) => {
    const page = await control.listDeliveries({ type, status: 'succeeded', ...endpoint, limit: 2 });
    return page.data.find((candidate) => candidate.id !== id);
  };
  const found = (await find({ webhook_id: webhook })) ?? (await find({}));
  if (found === undefined) return null;
  const success = await control.getDelivery({ id: found.id });
  const attempt = success.attempts.findLast(({ outcome }) => outcome === 'succeeded');
  return attempt === undefined ? null : toCompared(success, attempt);
}

function toCompared({ event_type: type }: DeliveryDetail, attempt: Attempt): Compared {
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

const parts: Record<string, (attempt: Attempt) => string> = {
  Response: ({ response, response_status: status, error }) =>
    response === null
      ? `None: ${error}`
      : [status, ...formatHeaders(response.headers), '', indentJson(response.body)].join('\n'),
  Payload: ({ request }) => indentJson(request.body),
  'Request headers': ({ request }) => [`POST ${request.url}`, ...formatHeaders(request.headers)].join('\n'),
};

function Parts({ left, right }: { readonly left: Compared; readonly right: Compared }) {
  return (
    <div class="stack">
      {Object.entries(parts).map(([title, toText]) => (
        <TextComparison
          key={title}
          title={title}
          left={{ title: left.title, text: maskVaryingValues(toText(left.attempt)) }}
          right={{ title: right.title, text: maskVaryingValues(toText(right.attempt)) }}
        />
      ))}
    </div>
  );
}
