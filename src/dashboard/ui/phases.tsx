/** The phases of an attempt as a waterfall, in real time. */
import './phases.css';
import type { AttemptPhases } from '../../contract/delivery-schemas.ts';
import { type AttemptPhase, attemptPhaseNames, attemptPhases } from '../../domain/attempt-phases.ts';
import { formatLatency } from '../../domain/duration.ts';

const phaseDescriptions: Readonly<Record<AttemptPhase, string>> = {
  queued: 'From the due time until a connection was opened or reused',
  dns: 'Resolve the host name',
  connect: 'Open the TCP connection, directly or through a proxy',
  tls: 'Complete the TLS handshake',
  send: 'Send the request',
  wait: 'Wait for the first byte of the response',
  receive: 'Receive the response',
};

interface PhaseSpan {
  readonly phase: AttemptPhase;
  readonly ms: number;
  /** From the start of the first phase. */
  readonly startMs: number;
}

/** The phases that an attempt had, in order. */
function listPhaseSpans(phases: AttemptPhases): PhaseSpan[] {
  const spans: PhaseSpan[] = [];
  let startMs = 0;
  for (const phase of attemptPhases) {
    const ms = phases[`${phase}_ms`];
    if (ms === null) continue;
    spans.push({ phase, ms, startMs });
    startMs += ms;
  }
  return spans;
}

interface PhaseTableProps {
  readonly phases: AttemptPhases | null;
  readonly caption: string;
}

/** A row for each phase, with a bar that begins where the bar of the previous one ends. */
export function PhaseTable({ phases, caption }: PhaseTableProps) {
  if (phases === null) {
    return <p class="muted">There are no phases, because a fault dropped the attempt.</p>;
  }
  const spans = listPhaseSpans(phases);
  // Not 0, because the widths are divided by it.
  const totalMs = Math.max(
    Number.MIN_VALUE,
    spans.reduce((sum, { ms }) => sum + ms, 0),
  );
  return (
    <table class="phase-table">
      <caption class="visually-hidden">{caption}</caption>
      <thead class="visually-hidden">
        <tr>
          <th scope="col">Phase</th>
          <th scope="col">Duration</th>
        </tr>
      </thead>
      <tbody>
        {spans.map(({ phase, ms, startMs }) => (
          <tr key={phase}>
            <th scope="row" title={phaseDescriptions[phase]}>
              {attemptPhaseNames[phase]}
            </th>
            <td>
              <span class="phase-track" aria-hidden="true">
                <span
                  class="phase"
                  style={{
                    '--phase-start': `${(100 * startMs) / totalMs}%`,
                    '--phase-width': `${(100 * ms) / totalMs}%`,
                  }}
                />
              </span>
              <span class="phase-duration">{formatLatency(ms)}</span>
            </td>
          </tr>
        ))}
        {phases.reused_connection && (
          <tr class="muted">
            <td colSpan={2}>Reused connection: no DNS, connect and TLS</td>
          </tr>
        )}
      </tbody>
    </table>
  );
}
