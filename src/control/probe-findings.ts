/** Describes the test of an endpoint: whether it is reachable, and whether it verifies signatures (§6). */
import type { WebhookProbe } from '../contract/resources.ts';
import { findAttemptHints } from '../domain/attempt-hints.ts';
import { DAY_MS } from '../domain/duration.ts';
import { createFindingBuilder, type Finding } from './finding.ts';

/** A certificate that expires sooner is a warning. */
const EXPIRES_SOON_MS = 14 * DAY_MS;

type ProbeResponse = NonNullable<WebhookProbe['genuine']>;

/** @param now wall time, in milliseconds since 1970. */
export function toProbeFindings(probe: WebhookProbe, now: number): Finding[] {
  const { certificate } = probe.connection;
  return [
    checkConnection(probe),
    ...(certificate === null ? [] : [checkCertificate(probe, certificate, now)]),
    ...(probe.genuine === null ? [] : [checkGenuine(probe, probe.genuine)]),
    ...(probe.forged === null ? [] : [checkForged(probe, probe.forged)]),
  ];
}

function checkConnection({ webhook_id, url, connection }: WebhookProbe): Finding {
  const reachable = createFindingBuilder(`${webhook_id}/reachable`, `connection to ${url}`);
  const { outcome, error, address, duration_ms } = connection;
  if (outcome === 'connected') return reachable.ok(`${address} in ${Math.ceil(duration_ms)} ms`);
  return reachable.problem(
    error ?? outcome,
    remedyFor({ outcome, response_status: null }, { webhook_id, url }),
  );
}

function checkCertificate(
  { webhook_id, url }: WebhookProbe,
  { issuer, valid_to }: NonNullable<WebhookProbe['connection']['certificate']>,
  now: number,
): Finding {
  const certificate = createFindingBuilder(`${webhook_id}/certificate`, `certificate of ${url}`);
  const leftMs = Date.parse(valid_to) - now;
  if (leftMs > EXPIRES_SOON_MS) return certificate.ok(`from ${issuer}, valid until ${valid_to}`);
  return leftMs > 0
    ? certificate.warning(
        `from ${issuer}, expires soon: ${valid_to}`,
        'Renew the certificate before deliveries fail.',
      )
    : certificate.warning(`from ${issuer}, expired: ${valid_to}`, 'Renew the certificate.');
}

function checkGenuine({ webhook_id, url }: WebhookProbe, answer: ProbeResponse): Finding {
  const accepts = createFindingBuilder(`${webhook_id}/accepts_signed`, `signed delivery to ${url}`);
  const { outcome, response_status: status } = answer;
  if (outcome === 'succeeded') return accepts.ok(`responded ${status}`);
  const rejected = status === 400 || status === 401 || status === 403;
  return accepts.problem(
    answer.error ?? outcome,
    rejected
      ? `Check that the receiver has the secret of this endpoint and verifies the raw body. For a new secret: svc webhooks rotate-secret ${webhook_id}`
      : remedyFor(answer, { webhook_id, url }),
  );
}

/** §6.4: if verification fails, the receiver responds with a client error. */
function checkForged({ webhook_id, url }: WebhookProbe, answer: ProbeResponse): Finding {
  const rejects = createFindingBuilder(`${webhook_id}/rejects_forged`, `forged delivery to ${url}`);
  const { outcome, response_status: status } = answer;
  if (status === null)
    return rejects.problem(answer.error ?? outcome, remedyFor(answer, { webhook_id, url }));
  if (status >= 400 && status < 500) return rejects.ok(`responded ${status}`);
  return rejects.problem(
    outcome === 'succeeded'
      ? `responded ${status}: anyone can send events to it`
      : `responded ${status} instead of a client error`,
    'Verify the signature first, and respond 400 if it is invalid: svc receiver example prints a correct receiver.',
  );
}

function remedyFor(
  answer: Pick<ProbeResponse, 'outcome' | 'response_status'>,
  webhook: Pick<WebhookProbe, 'webhook_id' | 'url'>,
): string | null {
  return findAttemptHints(answer, { id: 'del_…', ...webhook })[0] ?? null;
}
