import { describe, expect, it } from 'vitest';
import { mistakes, toCheckRequest, unchangedInput } from '../../src/dashboard/views/signature/check-input.ts';

const sent = { id: 'del_1', attempt: 2, sentAt: '2026-11-20T12:00:00.000Z' };

describe('toCheckRequest', () => {
  it('toCheckRequest sends only the attempt when nothing changed', () => {
    expect(toCheckRequest(unchangedInput, sent)).toEqual({ id: 'del_1', attempt: 2 });
  });

  it('toCheckRequest encodes the body in base64 and converts minutes', () => {
    const trial = {
      secret: 'whsec_x',
      body: 'Zoë',
      minutesLater: '-1.5',
      toleranceMinutes: '10',
      computed: ' v1=00 ',
    };
    expect(toCheckRequest(trial, sent)).toEqual({
      id: 'del_1',
      attempt: 2,
      secrets: ['whsec_x'],
      payload_base64: Buffer.from('Zoë').toString('base64'),
      now: '2026-11-20T11:58:30.000Z',
      tolerance_ms: 600_000,
      computed: 'v1=00',
    });
  });

  it.each(['', ' ', 'soon', '1e300', '-'])(
    'toCheckRequest ignores the invalid number of minutes %j',
    (text) => {
      expect(toCheckRequest({ ...unchangedInput, minutesLater: text, toleranceMinutes: text }, sent)).toEqual(
        {
          id: 'del_1',
          attempt: 2,
        },
      );
    },
  );

  it('toCheckRequest ignores a negative tolerance', () => {
    expect(toCheckRequest({ ...unchangedInput, toleranceMinutes: '-1' }, sent)).not.toHaveProperty(
      'tolerance_ms',
    );
  });

  it.each(mistakes)('toCheckRequest applies the mistake: $name', ({ change }) => {
    const body = '{"total":12.50}';
    expect({ ...unchangedInput, body, ...change(body) }).not.toEqual({ ...unchangedInput, body });
  });
});
