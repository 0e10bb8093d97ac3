/** The phases of an attempt, such as the TLS handshake, with the real time that each took. */

/** In order. Each phase ends when the next one begins. */
export const attemptPhases = ['queued', 'dns', 'connect', 'tls', 'send', 'wait', 'receive'] as const;
export type AttemptPhase = (typeof attemptPhases)[number];

export const attemptPhaseNames = {
  queued: 'queued',
  dns: 'DNS',
  connect: 'connect',
  tls: 'TLS',
  send: 'send',
  wait: 'wait',
  receive: 'receive',
} as const satisfies Record<AttemptPhase, string>;

/** Milliseconds of each phase; null for a phase that the attempt did not have or did not reach. */
export type PhaseDurations = Readonly<Record<AttemptPhase, number | null>>;

/** The start of a phase, in monotonic time. */
export interface PhaseStart {
  readonly phase: AttemptPhase;
  readonly at: number;
}

/** @param starts in order @param endedAt end of the last phase */
export function measurePhases(starts: readonly PhaseStart[], endedAt: number): PhaseDurations {
  const durations: Record<AttemptPhase, number | null> = {
    queued: null,
    dns: null,
    connect: null,
    tls: null,
    send: null,
    wait: null,
    receive: null,
  };
  for (const [index, { phase, at }] of starts.entries()) {
    durations[phase] = Math.max(0, (starts[index + 1]?.at ?? endedAt) - at);
  }
  return durations;
}

/** Whether the request was sent on a connection that an earlier request had opened. */
export function hasReusedConnection({ send, connect }: PhaseDurations): boolean {
  return send !== null && connect === null;
}

/** The durations as a JSON array of microseconds. It is short, because it is stored with every attempt. */
export function encodePhases(durations: PhaseDurations): string {
  return JSON.stringify(
    attemptPhases.map((phase) => {
      const ms = durations[phase];
      return ms === null ? null : Math.round(ms * 1_000);
    }),
  );
}

/** Reads the result of {@link encodePhases}. */
export function decodePhases(text: string): PhaseDurations {
  const durations: Record<string, number | null> = {};
  for (const [index, us] of (JSON.parse(text) as (number | null)[]).entries()) {
    durations[attemptPhases[index] as AttemptPhase] = us === null ? null : us / 1_000;
  }
  return durations as PhaseDurations;
}
