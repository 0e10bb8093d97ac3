import { describe, expect, it } from 'vitest';
import { createFindingBuilder, toProbeFindings } from '../../src/diagnosis/probe-findings.ts';
import { formatHint, SvcError } from '../../src/domain/errors.ts';
import type { WebhookProbe } from '../../src/operations/probe-schemas.ts';

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
  const whole = { webhook_id: 'wh_1', url, connection: connected, genuine: null, forged: null, ...probe };
  return toProbeFindings(whole as unknown as WebhookProbe, NOW).map(
    ({ status, id, detail, hint }) => `${status} ${id}: ${detail} → ${hint && formatHint(hint)}`,
  );
}

const [reachable = ''] = list({});
const respond = (status: number | null, error: string | null = null) => ({
  outcome: status === null ? 'timeout' : status < 300 ? 'succeeded' : 'http_error',
  ...{ response_status: status, error },
});

describe('the findings of a probe', () => {
  it('the findings of a probe start with the connection', () => {
    expect(reachable).toBe('ok wh_1/reachable: 192.168.1.5 in 2 ms → null');
    const failed = { ...connected, outcome: 'dns_error', error: 'it does not resolve' };
    expect(list({ connection: failed })).toEqual([
      'problem wh_1/reachable: it does not resolve → Correct the host name with: svc webhooks update wh_1 --url URL',
    ]);
    expect(list({ connection: { ...failed, error: null } })[0]).toMatch(
      /^problem wh_1\/reachable: dns_error →/,
    );
    const expired = {
      ...connected,
      outcome: 'tls_error',
      error: 'the certificate of hooks.test has expired',
    };
    expect(list({ connection: expired })[0]).toMatch(
      /→ Issue the certificate again, such as with mkcert hooks\.test/,
    );
  });

  it.each([
    [14 * DAY_MS + 1000, /^ok wh_1\/certificate: from CA, valid until 2026-12-04T00:00:01.000Z → null$/],
    [
      14 * DAY_MS,
      /^warning wh_1\/certificate: from CA, expires soon: .* → Renew the certificate before deliveries fail\.$/,
    ],
    [1, /^warning wh_1\/certificate: from CA, expires soon: /],
    [0, /^warning wh_1\/certificate: from CA, expired: .* → Renew the certificate\.$/],
  ])('a certificate that expires in %i ms has its finding', (leftMs, finding) => {
    const certificate = { issuer: 'CA', valid_to: new Date(NOW + leftMs).toISOString() };
    expect(list({ connection: { ...connected, certificate } })).toEqual([
      reachable,
      expect.stringMatching(finding),
    ]);
  });

  it.each<[object, RegExp]>([
    [respond(204), /^ok wh_1\/accepts_signed: responded with 204 → null$/],
    [respond(400, 'no'), /^problem wh_1\/accepts_signed: no → Check that the receiver has the secret/],
    [respond(401), /^problem wh_1\/accepts_signed: http_error → Check that the receiver has the secret/],
    [respond(403), /→ Check that the receiver has the secret .* svc webhooks rotate-secret wh_1$/],
    [respond(404), /→ Check the path of the endpoint URL/],
    [respond(null), /^problem wh_1\/accepts_signed: timeout → Return a 2xx response/],
  ])('the response %j to a signed delivery has its finding', (genuine, finding) => {
    expect(list({ genuine })).toEqual([reachable, expect.stringMatching(finding)]);
  });

  it.each<[object, RegExp]>([
    [respond(400), /^ok wh_1\/rejects_forged: responded with 400 → null$/],
    [respond(499), /^ok wh_1\/rejects_forged: responded with 499/],
    [
      respond(200),
      /^problem wh_1\/rejects_forged: accepted with 200, so anyone can send events .* → Verify the signature first/,
    ],
    [respond(302), /^problem wh_1\/rejects_forged: responded with 302 instead of a client error → Verify/],
    [respond(500), /^problem wh_1\/rejects_forged: responded with 500 instead of a client error/],
    [respond(null, 'no response'), /^problem wh_1\/rejects_forged: no response → Return a 2xx response/],
    [respond(null), /^problem wh_1\/rejects_forged: timeout → /],
  ])('the response %j to a forged delivery has its finding', (forged, finding) => {
    expect(list({ forged })).toEqual([reachable, expect.stringMatching(finding)]);
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
