/** Describes the phases of an attempt. */
import type { AttemptPhases } from '../../contract/delivery-schemas.ts';
import { attemptPhaseNames, attemptPhases } from '../../domain/attempt-phases.ts';
import { formatLatency } from '../../domain/duration.ts';

/** `queued 0.3ms, reused connection, send 0.1ms, wait 11ms, receive 0.4ms` */
export function describePhases(phases: AttemptPhases): string {
  const [queued = '', ...others] = attemptPhases.flatMap((phase) => {
    const ms = phases[`${phase}_ms`];
    return ms === null ? [] : [`${attemptPhaseNames[phase]} ${formatLatency(ms)}`];
  });
  return [queued, ...(phases.reused_connection ? ['reused connection'] : []), ...others].join(', ');
}
