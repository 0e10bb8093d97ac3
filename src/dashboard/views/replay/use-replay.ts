import { useEffect, useRef, useState } from 'preact/hooks';
import type { StreamItem } from '../../../contract/stream-schemas.ts';
import type { Replay, ReplayChanges } from '../../../control/replay.ts';
import { control } from '../../control.ts';
import { toErrorMessage } from '../../error-message.ts';
import { useLiveItems } from '../../live-stream.ts';
import { findReplayResult, isAboutReplay, type ReplayResult } from './replay-result.ts';

/** The state of the latest replay of a delivery. */
export type ReplayState =
  | { readonly step: 'none' | 'requested' }
  | { readonly step: 'rejected'; readonly message: string }
  | { readonly step: 'waiting'; readonly replay: Replay }
  | { readonly step: 'finished'; readonly replay: Replay; readonly result: ReplayResult };

/** Replays one delivery and tracks the result. */
export function useReplay(id: string): {
  readonly state: ReplayState;
  readonly send: (changes: ReplayChanges) => Promise<void>;
} {
  const [state, setState] = useState<ReplayState>({ step: 'none' });
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
