/** Finds the deliveries of a filter, replays each at a limited rate, and tracks the results. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { listAll } from '../../../control/list-all.ts';
import { type ReplayChanges, replayDeliveries } from '../../../control/replay.ts';
import { SvcError } from '../../../errors.ts';
import { control } from '../../control.ts';
import { toErrorMessage } from '../../error-message.ts';
import { useLiveItems } from '../../live-stream.ts';
import { showToast } from '../../toasts.ts';
import type { DeliverySelection } from './replay-request.ts';
import { ReplayTally } from './replay-tally.ts';

export interface BulkReplay {
  readonly step: 'asking' | 'stopped' | 'all asked';
  readonly tally: ReplayTally;
  /** The error that ended the replay early; null when the user stopped it. */
  readonly error: string | null;
}

/** Null before the replay starts. Unmounting the component stops it. */
export function useBulkReplay(): {
  readonly replays: BulkReplay | null;
  readonly begin: (ids: readonly string[], changes: ReplayChanges, perSecond: number) => Promise<void>;
  readonly stop: () => void;
} {
  const [replays, setReplays] = useState<BulkReplay | null>(null);
  const tally = useRef<ReplayTally | null>(null);
  const stopping = useRef(new AbortController());
  const frame = useRef<number | null>(null);
  const isAsking = useRef(false);
  useEffect(() => {
    return () => {
      stopping.current.abort();
      if (isAsking.current && tally.current)
        showToast(`The replay was stopped: ${describeRemaining(tally.current)}.`);
    };
  }, []);
  // The tally changes in place hundreds of times per second. A new object around it triggers a render at most once per
  // frame.
  const show = () => {
    frame.current ??= requestAnimationFrame(() => {
      frame.current = null;
      setReplays((before) => before && { ...before });
    });
  };
  useLiveItems((items) => {
    if (tally.current === null) return;
    for (const item of items) tally.current.applyItem(item);
    show();
  });
  const begin = async (ids: readonly string[], changes: ReplayChanges, perSecond: number) => {
    const own = new ReplayTally(ids);
    tally.current = own;
    stopping.current = new AbortController();
    isAsking.current = true;
    setReplays({ step: 'asking', tally: own, error: null });
    try {
      await replayDeliveries(ids, changes, control, {
        ...{ perSecond, signal: stopping.current.signal },
        onOutcome: (outcome) => {
          own.record(outcome);
          show();
        },
      });
      setReplays({ step: 'all asked', tally: own, error: null });
    } catch (error) {
      const isStopped = error instanceof SvcError && error.code === 'interrupted';
      setReplays({ step: 'stopped', tally: own, error: isStopped ? null : toErrorMessage(error) });
    } finally {
      isAsking.current = false;
    }
  };
  return { replays, begin, stop: () => stopping.current.abort() };
}

/** `12 of 40 deliveries were not replayed` */
export function describeRemaining({ total, started }: ReplayTally): string {
  return `${total - started} of ${total} deliveries were not replayed`;
}

/** IDs of all deliveries that the filter selects. `onCount` receives the number found so far. */
export async function listDeliveryIds(
  filter: DeliverySelection,
  signal: AbortSignal,
  onCount: (count: number) => void,
): Promise<readonly string[]> {
  let count = 0;
  return listAll(async (page) => {
    signal.throwIfAborted();
    const { data, ...rest } = await control.listDeliveries({ ...filter, ...page });
    count += data.length;
    onCount(count);
    return { ...rest, data: data.map(({ id }) => id) };
  });
}
