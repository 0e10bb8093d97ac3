import { describe, expect, it } from 'vitest';
import { createFindingBuilder, toConnectionFindings } from '../../src/diagnosis/connection-findings.ts';
import { formatHint, SvcError } from '../../src/domain/errors.ts';
import type { WebhookConnection } from '../../src/operations/connection-schemas.ts';

const NOW = Date.UTC(2026, 10, 20);
const DAY_MS = 86_400_000;
const url = 'https://hooks.test/in';
const connected = {
  outcome: 'connected',
  error: null,
  address: '192.168.1.5',
  duration_ms: 1.2,
  certificate: null,
};

/** The findings of a probe as `status id: detail → hint`. */
function list(probe: object): string[] {
  const whole = { webhook_id: 'wh_1', url, ...connected, ...probe };
  return toConnectionFindings(whole as unknown as WebhookConnection, NOW).map(
    ({ status, id, detail, hint }) => `${status} ${id}: ${detail} → ${hint && formatHint(hint)}`,
  );
}

const [reachable = ''] = list({});
describe('the findings of a probe', () => {
  it('the findings of a probe start with the connection', () => {
    expect(reachable).toBe('ok wh_1/reachable: 192.168.1.5 in 2 ms → null');
    const failed = { ...connected, outcome: 'dns_error', error: 'it does not resolve' };
    expect(list(failed)).toEqual([
      'problem wh_1/reachable: it does not resolve → Correct the host name with: svc webhooks update wh_1 --url URL',
    ]);
    expect(list({ ...failed, error: null })[0]).toMatch(/^problem wh_1\/reachable: dns_error →/);
    const expired = {
      ...connected,
      outcome: 'tls_error',
      error: 'the certificate of hooks.test has expired',
    };
    expect(list(expired)[0]).toMatch(/→ Issue the certificate again, such as with mkcert hooks\.test/);
  });

  it.each([
    [14 * DAY_MS + 1000, /^ok wh_1\/certificate: from CA, valid until 2026-12-04T00:00:01.000Z → null$/],
    [14 * DAY_MS, /^warning wh_1\/certificate: from CA, expires soon: .* → Renew the certificate\.$/],
    [1, /^warning wh_1\/certificate: from CA, expires soon: /],
    [0, /^warning wh_1\/certificate: from CA, expired: .* → Renew the certificate\.$/],
  ])('a certificate that expires in %i ms has its finding', (leftMs, finding) => {
    const certificate = { issuer: 'CA', valid_to: new Date(NOW + leftMs).toISOString() };
    expect(list({ certificate })).toEqual([reachable, expect.stringMatching(finding)]);
  });
});

describe('a finding from an error', () => {
  const { fromError } = createFindingBuilder('database', 'database file');

  it('a finding from an error has its message and its hint', () => {
    const error = new SvcError('usage', 'It is locked.', { hint: 'Wait.' });
    expect(fromError(error)).toEqual({
      ...{ id: 'database', title: 'database file', status: 'problem' },
      ...{ detail: 'It is locked.', hint: { text: 'Wait.' } },
    });
    expect(fromError(new SvcError('internal_error', 'No.'))).toMatchObject({ detail: 'No.', hint: null });
  });

  it.each([new SvcError('interrupted', 'Interrupted.'), new Error('a bug')])(
    '%s is not a finding',
    (error) => {
      expect(() => fromError(error)).toThrow(error);
    },
  );
});
