import { describe, expect, it } from 'vitest';
import {
  decodePhases,
  encodePhases,
  hasReusedConnection,
  PhaseTimer,
} from '../../src/domain/attempt-phases.ts';

describe('the phases of an attempt', () => {
  const none = { queued: null, dns: null, connect: null, tls: null, send: null, wait: null, receive: null };

  it('a phase ends when the next one begins, and the last one at the end of the attempt', () => {
    const times = [1_000, 1_002, 1_005.5, 1_005.75, 1_010];
    const timer = new PhaseTimer(() => times.shift() ?? Number.NaN);
    for (const phase of ['connect', 'send', 'wait'] as const) timer.begin(phase);
    expect(timer.end()).toEqual({
      phases: { ...none, queued: 2, connect: 3.5, send: 0.25, wait: 4.25 },
      durationMs: 10,
    });
  });

  it('an attempt that starts again was queued before', () => {
    const times = [0, 1, 3, 7, 9];
    const timer = new PhaseTimer(() => times.shift() ?? Number.NaN);
    for (const phase of ['send', 'wait'] as const) timer.begin(phase);
    timer.restart();
    timer.begin('connect');
    expect(timer.end()).toEqual({ phases: { ...none, queued: 7, connect: 2 }, durationMs: 9 });
  });

  it('stored phases are read with microseconds, and null for those that the attempt did not have', () => {
    const phases = {
      queued: 0.0004,
      dns: null,
      connect: 1.2345,
      tls: null,
      send: 0.1,
      wait: 15_000.001,
      receive: null,
    };
    expect(decodePhases(encodePhases(phases))).toEqual({ ...phases, queued: 0, connect: 1.235 });
    expect(encodePhases(phases)).toBe('[0,null,1235,null,100,15000001,null]');
  });

  it('a connection is reused if a request was sent without opening one', () => {
    expect(hasReusedConnection({ ...none, queued: 1, send: 1 })).toBe(true);
    expect(hasReusedConnection({ ...none, queued: 1, connect: 1, send: 1 })).toBe(false);
    expect(hasReusedConnection({ ...none, queued: 1 })).toBe(false);
  });
});
