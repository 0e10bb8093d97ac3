/** The schedule clock of the workspace in the header: its time, and the buttons that move it. */
import { useState } from 'preact/hooks';
import { formatSpan } from '../../../domain/duration.ts';
import { selectedClock } from '../../schedule-clock.ts';
import { workspaceId } from '../../session.ts';
import { useShortcuts } from '../../shortcuts.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Badge } from '../../ui/status-badge.tsx';
import { Toolbar } from '../../ui/toolbar.tsx';
import { AdvanceDialog } from './advance-dialog.tsx';
import { cancelMove, changeClock, isMoving } from './clock-actions.ts';
import { formatDateTime, formatDistance, formatZone } from './clock-format.ts';

export function ClockControl() {
  const isBusy = isMoving(workspaceId.value);
  const isFrozen = selectedClock.value.state.value?.speed === 0;
  const [isOpen, setOpen] = useState(false);
  useShortcuts([{ key: 'a', description: 'Advance the clock', run: () => setOpen(true) }]);
  return (
    <Toolbar label="Clock">
      <CurrentTime isMoving={isBusy} />
      {isBusy ? (
        <ActionButton onClick={cancelMove}>
          <Icon name="cross" />
          <span>Cancel</span>
        </ActionButton>
      ) : (
        <ActionButton onClick={() => changeClock({ frozen: !isFrozen })}>
          <Icon name={isFrozen ? 'play' : 'pause'} />
          <span>{isFrozen ? 'Resume' : 'Freeze'}</span>
        </ActionButton>
      )}
      <button type="button" onClick={() => setOpen(true)}>
        <Icon name="skip" />
        <span>Advance…</span>
      </button>
      {isOpen && <AdvanceDialog isBusy={isBusy} onClose={() => setOpen(false)} />}
    </Toolbar>
  );
}

/** Before the time is known, placeholders of the same width keep everything in its place. */
function CurrentTime({ isMoving }: { readonly isMoving: boolean }) {
  const { state, now, wallNow } = selectedClock.value;
  if (now.value === undefined || wallNow.value === undefined) return <code>---- -- -- --:--:-- ---</code>;
  const distance = formatDistance(now.value, wallNow.value);
  const offset = now.value - wallNow.value;
  const speed = state.value?.speed ?? 1;
  return (
    <span>
      <time
        dateTime={new Date(now.value).toISOString()}
        title={['Schedule time', distance].filter(Boolean).join(', ')}
      >
        <code>
          {formatDateTime(now.value)} {formatZone(now.value)}
        </code>
      </time>{' '}
      {distance !== null && (
        <span class="muted">
          <span aria-hidden="true">
            {offset > 0 ? '+' : '−'}
            {formatSpan(Math.abs(offset), 2)}
          </span>
          <span class="hidden">{distance}</span>
        </span>
      )}{' '}
      {isMoving && <Badge state="warning">moving</Badge>}
      {!isMoving && speed !== 1 && <Badge state="warning">{speed === 0 ? 'frozen' : `×${speed}`}</Badge>}
    </span>
  );
}
