import { describe, expect, it } from 'vitest';
import { excerptAt, findDifference } from '../../src/dashboard/views/signature/difference.ts';
import { mishaps, toCheck, untouched } from '../../src/dashboard/views/signature/trial.ts';

const sent = { id: 'del_1', attempt: 2, sentAt: '2026-11-20T12:00:00.000Z' };

describe('a check with what the reader has changed', () => {
  it('asks for nothing but the attempt while nothing is changed', () => {
    expect(toCheck(untouched, sent)).toEqual({ id: 'del_1', attempt: 2 });
  });

  it('sends the body as bytes, and the times in the units of the control plane', () => {
    const trial = {
      secret: 'whsec_x',
      body: 'Zoë',
      minutesLater: '-1.5',
      toleranceMinutes: '10',
      computed: ' v1=00 ',
    };
    expect(toCheck(trial, sent)).toEqual({
      ...{ id: 'del_1', attempt: 2, secrets: ['whsec_x'] },
      payload_base64: Buffer.from('Zoë').toString('base64'),
      now: '2026-11-20T11:58:30.000Z',
      tolerance_ms: 600_000,
      computed: 'v1=00',
    });
  });

  it.each(['', ' ', 'soon', '1e300', '-'])('takes %j for no number of minutes', (text) => {
    expect(toCheck({ ...untouched, minutesLater: text, toleranceMinutes: text }, sent)).toEqual({
      ...{ id: 'del_1', attempt: 2 },
    });
  });

  it('takes no tolerance below zero', () => {
    expect(toCheck({ ...untouched, toleranceMinutes: '-1' }, sent)).not.toHaveProperty('tolerance_ms');
  });

  it.each(mishaps)('has what goes wrong elsewhere: $name', ({ change }) => {
    const body = '{"total":12.50}';
    expect({ ...untouched, body, ...change(body) }).not.toEqual({ ...untouched, body });
  });
});

describe('the difference of two bodies', () => {
  it('is where they part, be it at the end of one', () => {
    expect(findDifference('abc', 'abd')).toBe(2);
    expect(findDifference('abc', 'ab')).toBe(2);
    expect(findDifference('abc', 'abc')).toBeNull();
  });

  it('is shown with what stands around it, and says what is left out', () => {
    expect(excerptAt('abcd', 2)).toEqual({ isCut: false, same: 'ab', other: 'cd', goesOn: false });
    const long = excerptAt(`${'a'.repeat(500)}b${'c'.repeat(500)}`, 500);
    expect(long).toMatchObject({ isCut: true, goesOn: true });
    expect(long.same).toMatch(/^a{120}$/);
    expect(long.other).toMatch(/^bc{239}$/);
  });
});
