import { toHash } from '../../address.ts';
import { route } from '../../router.ts';
import { OutcomeBadge } from '../../ui/status-badge.tsx';
import type { ReplayResult } from './replay-result.ts';
import type { ReplayState } from './use-replay.ts';

interface Props {
  readonly state: ReplayState;
  /** Called when the user opens the attempt. */
  readonly onLeave?: () => void;
}

/** The progress and result of a replay. */
export function ReplayProgress({ state, onLeave }: Props) {
  return (
    <div class="replay-progress" aria-live="polite">
      <Progress state={state} {...(onLeave && { onLeave })} />
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
      return <span class="replay-error">Not replayed: {state.message}</span>;
    case 'waiting':
      return <span class="muted">Waiting for attempt {state.replay.attemptsBefore + 1}…</span>;
    case 'finished':
      return <Result {...state.result} {...(onLeave && { onLeave })} />;
  }
}

function Result({ delivery, attempt, onLeave }: ReplayResult & Pick<Props, 'onLeave'>) {
  if (attempt === null) return <span>The delivery was canceled before it was sent.</span>;
  const query = { ...route.value.query, attempt: String(attempt.number), tab: '' };
  return (
    <>
      <OutcomeBadge {...attempt} /> <span class="muted">in {Math.round(attempt.duration_ms)} ms</span>{' '}
      <a href={toHash({ section: 'deliveries', id: delivery.id, query })} onClick={onLeave}>
        {delivery.replay_of !== null && attempt.number === 1
          ? 'Open the new delivery'
          : `Open attempt ${attempt.number}`}
      </a>
      {attempt.error !== null && <p class="muted">{attempt.error}</p>}
    </>
  );
}
