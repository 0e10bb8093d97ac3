import { useEffect, useRef, useState } from 'preact/hooks';
import type { StreamItem } from '../../../contract/stream.ts';
import type { Replay, ReplayChanges } from '../../../control/replaying.ts';
import { control } from '../../control.ts';
import { useLive } from '../../live.ts';
import { toMessage } from '../../message.ts';
import { concerns, findAnswer, type ReplayAnswer } from './answer.ts';

/** Where the newest replay of a delivery stands. */
export type ReplayState =
  | { readonly step: 'none' | 'asked' }
  | { readonly step: 'refused'; readonly message: string }
  | { readonly step: 'planned'; readonly replay: Replay }
  | { readonly step: 'answered'; readonly replay: Replay; readonly answer: ReplayAnswer };

/** Replays one delivery and follows what becomes of it. */
export function useReplay(id: string): {
  readonly state: ReplayState;
  readonly send: (changes: ReplayChanges) => Promise<void>;
} {
  const [state, setState] = useState<ReplayState>({ step: 'none' });
  const newest = useRef(0);
  // The answer of a quick receiver may be heard before the emulator has said what the id of the new delivery is.
  const heard = useRef<StreamItem[]>([]);
  useEffect(() => {
    setState({ step: 'none' });
    return () => void newest.current++;
  }, [id]);
  const look = (replay: Replay) => {
    const answer = findAnswer(heard.current, replay);
    setState(answer === null ? { step: 'planned', replay } : { step: 'answered', replay, answer });
  };
  useLive((items) => {
    if (state.step !== 'asked' && state.step !== 'planned') return;
    if (items.some(({ type }) => type === 'reset')) {
      return setState({ step: 'refused', message: 'the emulator was reset meanwhile.' });
    }
    heard.current.push(...items.filter((item) => concerns(item, new Set([id]))));
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
      if (number === newest.current) setState({ step: 'refused', message: toMessage(error) });
    }
  };
  return { state, send };
}
