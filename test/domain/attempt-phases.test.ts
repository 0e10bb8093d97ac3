import { describe, expect, it } from 'vitest';
import {
  decodePhases,
  encodePhases,
  hasReusedConnection,
  measurePhases,
} from '../../src/domain/attempt-phases.ts';

describe('the phases of an attempt', () => {
  it('a phase ends when the next one begins, and the last one at the end of the attempt', () => {
    const starts = [
      { phase: 'queued', at: 1_000 },
      { phase: 'connect', at: 1_002 },
      { phase: 'send', at: 1_005.5 },
      { phase: 'wait', at: 1_005.75 },
    ] as const;
    expect(measurePhases(starts, 1_010)).toEqual({
      queued: 2,
      dns: null,
      connect: 3.5,
      tls: null,
      send: 0.25,
      wait: 4.25,
      receive: null,
    });
  });

  it('a phase that begins before the previous one has ended gives that one no negative duration', () => {
    const starts = [
      { phase: 'send', at: 10 },
      { phase: 'wait', at: 9 },
    ] as const;
    expect(measurePhases(starts, 12)).toMatchObject({ send: 0, wait: 3 });
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
    const none = measurePhases([], 0);
    expect(hasReusedConnection({ ...none, queued: 1, send: 1 })).toBe(true);
    expect(hasReusedConnection({ ...none, queued: 1, connect: 1, send: 1 })).toBe(false);
    expect(hasReusedConnection({ ...none, queued: 1 })).toBe(false);
  });
});
