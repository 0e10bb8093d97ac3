import { useEffect, useRef, useState } from 'preact/hooks';
import type { Replay, ReplayChanges } from '../../../client/replay.ts';
import type { StreamItem } from '../../../contract/stream-schemas.ts';
import { formatLatency } from '../../../domain/duration.ts';
import { toHash } from '../../address.ts';
import { control } from '../../control.ts';
import { useLiveItems } from '../../live-stream.ts';
import { route } from '../../router.ts';
import { toErrorMessage } from '../../toasts.ts';
import { OutcomeBadge } from '../../ui/status-badge.tsx';
import { findReplayResult, isAboutReplay, type ReplayResult } from './replay-tally.ts';

interface Props {
  readonly state: ReplayState;
  /** Called when the user opens the result. */
  readonly onLeave?: (() => void) | undefined;
}

export function ReplayProgress({ state, onLeave }: Props) {
  return (
    <div class="replay-progress" aria-live="polite">
      <Progress state={state} onLeave={onLeave} />
    </div>
  );
}

function Progress({ state, onLeave }: Props) {
  switch (state.step) {
    case 'none':
      return null;
    case 'requested':
      return <span class="muted">Sending…</span>;
    case 'rejected':
      return <span class="error-text">Not replayed: {state.message}</span>;
    case 'waiting':
      return <span class="muted">Waiting for attempt {state.replay.attemptsBefore + 1}…</span>;
    case 'finished':
      return <Result {...state.result} onLeave={onLeave} />;
  }
}

function Result({ delivery, attempt, onLeave }: ReplayResult & Pick<Props, 'onLeave'>) {
  if (attempt === null) return <span>The delivery was canceled before it was sent.</span>;
  const query = { ...route.value.query, attempt: String(attempt.number), tab: '' };
  return (
    <>
      <OutcomeBadge {...attempt} /> <span class="muted">in {formatLatency(attempt.duration_ms)}</span>{' '}
      <a href={toHash({ section: 'deliveries', id: delivery.id, query })} onClick={onLeave}>
        {delivery.replay_of !== null && attempt.number === 1
          ? 'Open the new delivery'
          : `Open attempt ${attempt.number}`}
      </a>
      {attempt.error !== null && <p class="muted">{attempt.error}</p>}
    </>
  );
}

type ReplayState =
  | { readonly step: 'none' | 'requested' }
  | { readonly step: 'rejected'; readonly message: string }
  | { readonly step: 'waiting'; readonly replay: Replay }
  | { readonly step: 'finished'; readonly replay: Replay; readonly result: ReplayResult };

export function useReplay(id: string): {
  readonly state: ReplayState;
  readonly send: (changes: ReplayChanges) => Promise<void>;
} {
  const [state, setState] = useState<ReplayState>({ step: 'none' });
  /** Number of the latest replay. Results of earlier replays, and of another delivery, are ignored. */
  const latestNumber = useRef(0);
  // The result of a fast receiver may arrive before the response that contains the ID of the new delivery.
  const streamItems = useRef<StreamItem[]>([]);
  useEffect(() => {
    setState({ step: 'none' });
    return () => void latestNumber.current++;
  }, [id]);
  const showResult = (replay: Replay) => {
    const result = findReplayResult(streamItems.current, replay);
    setState(result === null ? { step: 'waiting', replay } : { step: 'finished', replay, result });
  };
  useLiveItems((items) => {
    if (state.step !== 'requested' && state.step !== 'waiting') return;
    // The result may be among the missed items. The page of the delivery loads its attempts again.
    if (items.some(({ isGap }) => isGap)) return setState({ step: 'none' });
    if (items.some(({ type }) => type === 'reset')) {
      return setState({ step: 'rejected', message: 'the emulator was reset.' });
    }
    streamItems.current.push(...items.filter((item) => isAboutReplay(item, new Set([id]))));
    if (state.step === 'waiting') showResult(state.replay);
  });
  const send = async (changes: ReplayChanges) => {
    const number = ++latestNumber.current;
    streamItems.current = [];
    setState({ step: 'requested' });
    try {
      const delivery = await control.replayDelivery({ id, ...changes });
      if (number === latestNumber.current) showResult({ delivery, attemptsBefore: delivery.attempt_count });
    } catch (error) {
      if (number === latestNumber.current) setState({ step: 'rejected', message: toErrorMessage(error) });
    }
  };
  return { state, send };
}
