import { useEffect, useState } from 'preact/hooks';
import type { AttemptSummary } from '../../../contract/delivery-schemas.ts';
import type { StreamItem } from '../../../contract/stream-schemas.ts';
import { control } from '../../control.ts';
import { useLiveItems } from '../../live-stream.ts';
import { type Query, useQuery } from '../../use-query.ts';
import { mergeNewest } from './attempt-stats.ts';

/** How many of the latest attempts the statistics cover. */
const MAX_ATTEMPTS = 200;

/** The latest attempts to an endpoint, newest first, live. */
export function useAttempts(webhookId: string): Query<readonly AttemptSummary[]> {
  const query = useQuery(
    () => control.listAttempts({ webhook_id: webhookId, limit: MAX_ATTEMPTS }),
    [webhookId],
  );
  const [liveAttempts, setLiveAttempts] = useState<readonly AttemptSummary[]>([]);
  useEffect(() => setLiveAttempts([]), [webhookId]);
  useLiveItems((items) => {
    if (items.some(({ type }) => type === 'reset')) {
      setLiveAttempts([]);
      return query.refetch();
    }
    const newAttempts = items.flatMap((item) => toSummary(item, webhookId)).reverse();
    if (newAttempts.length > 0) setLiveAttempts((before) => mergeNewest(newAttempts, before, MAX_ATTEMPTS));
  });
  return { ...query, value: query.value && mergeNewest(liveAttempts, query.value.data, MAX_ATTEMPTS) };
}

function toSummary(item: StreamItem, webhookId: string): AttemptSummary[] {
  if (item.type !== 'attempt' || item.delivery.webhook_id !== webhookId) return [];
  const { request: _, response: __, ...attempt } = item.attempt;
  const { id, event_type } = item.delivery;
  return [{ ...attempt, delivery_id: id, event_type, webhook_id: webhookId }];
}
