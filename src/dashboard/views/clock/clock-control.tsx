/** The schedule clock of the workspace in the header: its time, and the buttons that move it. */
import { useState } from 'preact/hooks';
import { formatSpan } from '../../../domain/duration.ts';
import { isLost } from '../../control.ts';
import { selectedClock } from '../../schedule-clock.ts';
import { workspaceId } from '../../session.ts';
import { useShortcuts } from '../../shortcuts.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Toolbar } from '../../ui/toolbar.tsx';
import { AdvanceDialog } from './advance-dialog.tsx';
import { cancelMove, isMoving, toggleFrozen } from './clock-actions.ts';
import { formatDateTime, formatDistance, formatZone } from './clock-format.ts';

export function ClockControl() {
  const isBusy = isMoving(workspaceId.value);
  const isFrozen = selectedClock.value.state.value?.speed === 0;
  const [isOpen, setOpen] = useState(false);
  useShortcuts([{ key: 'a', description: 'Advance the clock', run: () => setOpen(true) }]);
  return (
    <Toolbar label="Clock" class="row clock">
      <CurrentTime isMoving={isBusy} />
      {isBusy ? (
        <ActionButton onClick={cancelMove}>
          <Icon name="cross" />
          <span class="clock-label">Cancel</span>
        </ActionButton>
      ) : (
        <ActionButton onClick={toggleFrozen}>
          <Icon name={isFrozen ? 'play' : 'pause'} />
          <span class="clock-label">{isFrozen ? 'Resume' : 'Freeze'}</span>
        </ActionButton>
      )}
      <button type="button" onClick={() => setOpen(true)}>
        <Icon name="skip" />
        <span class="wide-text">Advance…</span>
      </button>
      {isOpen && <AdvanceDialog isBusy={isBusy || isLost.value} onClose={() => setOpen(false)} />}
    </Toolbar>
  );
}

/** Before the time is known, placeholders of the same width keep everything in its place. */
function CurrentTime({ isMoving }: { readonly isMoving: boolean }) {
  const { state, now, wallNow } = selectedClock.value;
  if (now.value === undefined || wallNow.value === undefined)
    return <span class="clock-time mono">---- -- -- --:--:-- ---</span>;
  const distance = formatDistance(now.value, wallNow.value);
  const offset = now.value - wallNow.value;
  const speed = state.value?.speed ?? 1;
  return (
    <span class="clock-time">
      <time
        class="mono"
        dateTime={new Date(now.value).toISOString()}
        title={['Schedule time', distance].filter(Boolean).join(', ')}
      >
        {formatDateTime(now.value)} {formatZone(now.value)}
      </time>{' '}
      {distance !== null && (
        <span class="muted">
          <span aria-hidden="true">
            {offset > 0 ? '+' : '−'}
            {formatSpan(Math.abs(offset), 2)}
          </span>
          <span class="visually-hidden">{distance}</span>
        </span>
      )}{' '}
      {isMoving && <span class="badge pending">moving</span>}
      {!isMoving && speed !== 1 && <span class="badge pending">{speed === 0 ? 'frozen' : `×${speed}`}</span>}
    </span>
  );
}
