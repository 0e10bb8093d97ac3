import type { Fault } from '../../../contract/faults.ts';
import type { StreamItem } from '../../../contract/stream.ts';
import { type Asked, useAsked } from '../../asked.ts';
import { control } from '../../control.ts';
import { useLive } from '../../live.ts';
import { usePolling } from '../../polling.ts';
import { status } from '../../session.ts';
import { useThrottle } from '../../throttle.ts';

/** More than anybody orders. */
const MOST = 1000;
const LOOK_AGAIN_MS = 500;

/** The faults that `concerns` selects, newest first, with how often they have fired, live. */
export function useFaults(concerns: (fault: Fault) => boolean): Asked<readonly Fault[]> {
  const asked = useAsked(() => control.listFaults({ limit: MOST }), [status.value?.started_at]);
  const lookAgain = useThrottle(asked.again, LOOK_AGAIN_MS);
  useLive((items) => {
    if (items.some(isOfFault)) lookAgain();
  });
  usePolling(asked.again);
  return { ...asked, value: asked.value?.data.filter(concerns) };
}

function isOfFault(item: StreamItem): boolean {
  if (item.type === 'attempt') return item.attempt.fault !== undefined;
  if (item.type === 'request') return item.request.fault !== undefined;
  return item.type === 'reset';
}
