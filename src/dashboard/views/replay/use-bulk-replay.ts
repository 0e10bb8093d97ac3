/** Finds the deliveries of a filter, replays each at a limited rate, and tracks the results. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { type ReplayChanges, replayDeliveries } from '../../../client/replay.ts';
import type { ControlInput } from '../../../contract/control-operations.ts';
import { listAll } from '../../../contract/control-plane.ts';
import { formatDeliveryCount } from '../../../domain/message-parts.ts';
import { SvcError } from '../../../errors.ts';
import { control } from '../../control.ts';
import { useLiveItems } from '../../live-stream.ts';
import { showToast, toErrorMessage } from '../../toasts.ts';
import { ReplayTally } from './replay-tally.ts';

/** The filter of the delivery list. */
export type DeliverySelection = Omit<ControlInput<'listDeliveries'>, 'limit' | 'starting_after'>;

export interface BulkReplay {
  readonly step: 'requesting' | 'stopped' | 'requested';
  readonly tally: ReplayTally;
  /** The error that ended the replay early; null when the user stopped it. */
  readonly error: string | null;
}

/** Unmounting the component stops the replay. */
export function useBulkReplay(): {
  /** Null before the replay starts. */
  readonly bulkReplay: BulkReplay | null;
  readonly start: (ids: readonly string[], changes: ReplayChanges, perSecond: number) => Promise<void>;
  readonly stop: () => void;
} {
  const [bulkReplay, setBulkReplay] = useState<BulkReplay | null>(null);
  const tally = useRef<ReplayTally | null>(null);
  const abortController = useRef(new AbortController());
  const frame = useRef<number | null>(null);
  const isRequesting = useRef(false);
  useEffect(() => {
    return () => {
      abortController.current.abort();
      if (isRequesting.current && tally.current)
        showToast(`The replay was stopped: ${describeRemaining(tally.current)}.`);
    };
  }, []);
  // The tally changes in place hundreds of times per second. A new object around it triggers a render at most once per
  // frame.
  const renderSoon = () => {
    frame.current ??= requestAnimationFrame(() => {
      frame.current = null;
      setBulkReplay((before) => before && { ...before });
    });
  };
  useLiveItems((items) => {
    if (tally.current === null) return;
    for (const item of items) tally.current.applyItem(item);
    renderSoon();
  });
  const start = async (ids: readonly string[], changes: ReplayChanges, perSecond: number) => {
    const newTally = new ReplayTally(ids);
    tally.current = newTally;
    abortController.current = new AbortController();
    isRequesting.current = true;
    setBulkReplay({ step: 'requesting', tally: newTally, error: null });
    try {
      await replayDeliveries(ids, changes, control, {
        perSecond,
        signal: abortController.current.signal,
        onOutcome: (outcome) => {
          newTally.record(outcome);
          renderSoon();
        },
      });
      setBulkReplay({ step: 'requested', tally: newTally, error: null });
    } catch (error) {
      const isStopped = error instanceof SvcError && error.code === 'interrupted';
      setBulkReplay({ step: 'stopped', tally: newTally, error: isStopped ? null : toErrorMessage(error) });
    } finally {
      isRequesting.current = false;
    }
  };
  return { bulkReplay, start, stop: () => abortController.current.abort() };
}

/** `12 of 40 deliveries were not sent again` */
export function describeRemaining({ totalCount, startedCount }: ReplayTally): string {
  const count = totalCount - startedCount;
  return `${count} of ${formatDeliveryCount(totalCount)} ${count === 1 ? 'was' : 'were'} not sent again`;
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
