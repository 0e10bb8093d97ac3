import { useEffect, useRef, useState } from 'preact/hooks';
import type { StreamItem } from '../../../contract/stream-schemas.ts';
import type { Replay, ReplayChanges } from '../../../control/replay.ts';
import { control } from '../../control.ts';
import { toErrorMessage } from '../../error-message.ts';
import { useLiveItems } from '../../live-stream.ts';
import { findReplayResult, isAboutReplay, type ReplayResult } from './replay-result.ts';

/** The state of the latest replay of a delivery. */
export type ReplayState =
  | { readonly step: 'none' | 'asked' }
  | { readonly step: 'refused'; readonly message: string }
  | { readonly step: 'planned'; readonly replay: Replay }
  | { readonly step: 'answered'; readonly replay: Replay; readonly answer: ReplayResult };

/** Replays one delivery and tracks the result. */
export function useReplay(id: string): {
  readonly state: ReplayState;
  readonly send: (changes: ReplayChanges) => Promise<void>;
} {
  const [state, setState] = useState<ReplayState>({ step: 'none' });
  const newest = useRef(0);
  // The result of a fast receiver may arrive before the response that contains the ID of the new delivery.
  const heard = useRef<StreamItem[]>([]);
  useEffect(() => {
    setState({ step: 'none' });
    return () => void newest.current++;
  }, [id]);
  const look = (replay: Replay) => {
    const answer = findReplayResult(heard.current, replay);
    setState(answer === null ? { step: 'planned', replay } : { step: 'answered', replay, answer });
  };
  useLiveItems((items) => {
    if (state.step !== 'asked' && state.step !== 'planned') return;
    if (items.some(({ type }) => type === 'reset')) {
      return setState({ step: 'refused', message: 'the emulator was reset.' });
    }
    heard.current.push(...items.filter((item) => isAboutReplay(item, new Set([id]))));
    if (state.step === 'planned') look(state.replay);
  });
  const send = async (changes: ReplayChanges) => {
    const number = ++newest.current;
    heard.current = [];
    setState({ step: 'asked' });
    try {
      const delivery = await control.replayDelivery({ id, ...changes });
      if (number === newest.current) look({ delivery, attemptsBefore: delivery.attempt_count });
    } catch (error) {
      if (number === newest.current) setState({ step: 'refused', message: toErrorMessage(error) });
    }
  };
  return { state, send };
}
