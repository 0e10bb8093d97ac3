import type { Fault } from '../../../contract/fault-schemas.ts';
import type { StreamItem } from '../../../contract/stream-schemas.ts';
import { control } from '../../control.ts';
import { useLiveItems } from '../../live-stream.ts';
import { status } from '../../session.ts';
import { usePolling } from '../../use-polling.ts';
import { type Query, useQuery } from '../../use-query.ts';
import { useThrottle } from '../../use-throttle.ts';

const MAX_FAULTS = 1000;
const REFETCH_INTERVAL_MS = 500;

/** The faults that `concerns` selects, newest first, with how often they fired, live. */
export function useFaults(concerns: (fault: Fault) => boolean): Query<readonly Fault[]> {
  const query = useQuery(() => control.listFaults({ limit: MAX_FAULTS }), [status.value?.started_at]);
  const lookAgain = useThrottle(query.refetch, REFETCH_INTERVAL_MS);
  useLiveItems((items) => {
    if (items.some(mayChangeFaults)) lookAgain();
  });
  usePolling(query.refetch);
  return { ...query, value: query.value?.data.filter(concerns) };
}

function mayChangeFaults(item: StreamItem): boolean {
  if (item.type === 'attempt') return item.attempt.fault !== undefined;
  if (item.type === 'request') return item.request.fault !== undefined;
  return item.type === 'reset';
}
