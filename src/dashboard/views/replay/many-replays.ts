/** Finds the deliveries of a filter, replays each at a bounded rate, and follows what becomes of them. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { listAll } from '../../../control/pages.ts';
import { type ReplayChanges, replayEach } from '../../../control/replaying.ts';
import { SvcError } from '../../../errors.ts';
import { control } from '../../control.ts';
import { useLive } from '../../live.ts';
import { toMessage } from '../../message.ts';
import { notify } from '../../notices.ts';
import type { DeliveryFilter } from './question.ts';
import { ReplayTally } from './tally.ts';

export interface ManyReplays {
  readonly step: 'asking' | 'stopped' | 'all asked';
  readonly tally: ReplayTally;
  /** Why it ended before all were asked for, where nobody stopped it. */
  readonly error: string | null;
}

/** Null before it has begun. It ends with the component. */
export function useManyReplays(): {
  readonly replays: ManyReplays | null;
  readonly begin: (ids: readonly string[], changes: ReplayChanges, perSecond: number) => Promise<void>;
  readonly stop: () => void;
} {
  const [replays, setReplays] = useState<ManyReplays | null>(null);
  const tally = useRef<ReplayTally | null>(null);
  const stopping = useRef(new AbortController());
  const frame = useRef<number | null>(null);
  const isAsking = useRef(false);
  useEffect(() => {
    return () => {
      stopping.current.abort();
      if (isAsking.current && tally.current)
        notify(`The replay was stopped: ${describeRest(tally.current)}.`);
    };
  }, []);
  // The tally changes in place, hundreds of times a second; a new object around it is what is rendered.
  const show = () => {
    frame.current ??= requestAnimationFrame(() => {
      frame.current = null;
      setReplays((before) => before && { ...before });
    });
  };
  useLive((items) => {
    if (tally.current === null) return;
    for (const item of items) tally.current.hear(item);
    show();
  });
  const begin = async (ids: readonly string[], changes: ReplayChanges, perSecond: number) => {
    const own = new ReplayTally(ids);
    tally.current = own;
    stopping.current = new AbortController();
    isAsking.current = true;
    setReplays({ step: 'asking', tally: own, error: null });
    try {
      await replayEach(ids, changes, control, {
        ...{ perSecond, signal: stopping.current.signal },
        onOutcome: (outcome) => {
          own.record(outcome);
          show();
        },
      });
      setReplays({ step: 'all asked', tally: own, error: null });
    } catch (error) {
      const isStopped = error instanceof SvcError && error.code === 'interrupted';
      setReplays({ step: 'stopped', tally: own, error: isStopped ? null : toMessage(error) });
    } finally {
      isAsking.current = false;
    }
  };
  return { replays, begin, stop: () => stopping.current.abort() };
}

/** `12 of 40 were not asked for` */
export function describeRest({ total, begun }: ReplayTally): string {
  return `${total - begun} of ${total} were not asked for`;
}

/** The ids of all deliveries that the filter selects; `onCount` is told how many have been found so far. */
export async function listIds(
  filter: DeliveryFilter,
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
