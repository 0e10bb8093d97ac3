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

/** Measures the phases of an attempt. Each lasts until the next one begins. */
export class PhaseTimer {
  readonly #now: () => number;
  readonly #startedAt: number;
  #durations = createDurations();
  #phase: AttemptPhase = 'queued';
  #since: number;

  /** Begins the first phase. @param now monotonic time in milliseconds */
  constructor(now: () => number) {
    this.#now = now;
    this.#startedAt = now();
    this.#since = this.#startedAt;
  }

  begin(phase: AttemptPhase): void {
    const now = this.#now();
    this.#durations[this.#phase] = now - this.#since;
    this.#phase = phase;
    this.#since = now;
  }

  /** Counts the time since the start as the first phase. */
  restart(): void {
    this.#durations = createDurations();
    this.#phase = 'queued';
    this.#since = this.#startedAt;
  }

  /** Ends the last phase. */
  end(): { readonly phases: PhaseDurations; readonly durationMs: number } {
    this.begin(this.#phase);
    return { phases: this.#durations, durationMs: this.#since - this.#startedAt };
  }
}

function createDurations(): Record<AttemptPhase, number | null> {
  return { queued: null, dns: null, connect: null, tls: null, send: null, wait: null, receive: null };
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
