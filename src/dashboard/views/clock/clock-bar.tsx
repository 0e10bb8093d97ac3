import { clock } from '../../schedule.ts';

/** The schedule clock of the workspace. */
export function ClockBar() {
  return <section aria-label="Clock">{clock.value?.now}</section>;
}
