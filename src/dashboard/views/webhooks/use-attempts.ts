import { useEffect, useState } from 'preact/hooks';
import type { AttemptSummary } from '../../../contract/deliveries.ts';
import type { StreamItem } from '../../../contract/stream.ts';
import { type Asked, useAsked } from '../../asked.ts';
import { control } from '../../control.ts';
import { useLive } from '../../live.ts';
import { mergeNewest } from './figures.ts';

/** How many of the newest attempts the figures are of. */
const NEWEST = 200;

/** The newest attempts to an endpoint, newest first, live. */
export function useAttempts(webhookId: string): Asked<readonly AttemptSummary[]> {
  const asked = useAsked(() => control.listAttempts({ webhook_id: webhookId, limit: NEWEST }), [webhookId]);
  const [heard, setHeard] = useState<readonly AttemptSummary[]>([]);
  useEffect(() => setHeard([]), [webhookId]);
  useLive((items) => {
    if (items.some(({ type }) => type === 'reset')) {
      setHeard([]);
      return asked.again();
    }
    const news = items.flatMap((item) => toSummary(item, webhookId)).reverse();
    if (news.length > 0) setHeard((before) => mergeNewest(news, before, NEWEST));
  });
  return { ...asked, value: asked.value && mergeNewest(heard, asked.value.data, NEWEST) };
}

function toSummary(item: StreamItem, webhookId: string): AttemptSummary[] {
  if (item.type !== 'attempt' || item.delivery.webhook_id !== webhookId) return [];
  const { request: _, response: __, ...attempt } = item.attempt;
  const { id, event_type } = item.delivery;
  return [{ ...attempt, delivery_id: id, event_type, webhook_id: webhookId }];
}
