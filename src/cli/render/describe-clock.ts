import type { ClockState } from '../../contract/emulator-schemas.ts';
import { formatDuration, SECOND_MS } from '../../domain/duration.ts';

/** Shows the difference of the clocks in whole seconds, because the two times are not read simultaneously. */
export function describeClock({ speed, now, wall }: ClockState): string {
  const pace = speed === 0 ? 'frozen' : `${speed}×`;
  const drift = Date.parse(now) - Date.parse(wall);
  if (Math.abs(drift) < SECOND_MS) return `${pace}, same time as the wall clock`;
  const difference = formatDuration(Math.round(Math.abs(drift) / SECOND_MS) * SECOND_MS);
  return `${pace}, ${difference} ${drift > 0 ? 'ahead of' : 'behind'} the wall clock`;
}

/** Whether the schedule clock shows the wall time, and continues to. */
export function isWallTime({ speed, now, wall }: ClockState): boolean {
  return speed === 1 && Math.abs(Date.parse(now) - Date.parse(wall)) < SECOND_MS;
}
