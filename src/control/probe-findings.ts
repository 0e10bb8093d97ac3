/** What trying an endpoint out came to, in words: whether it can be reached, and whether it verifies signatures (§6). */
import type { WebhookProbe } from '../contract/resources.ts';
import { findAttemptHints } from '../domain/attempt-hints.ts';
import { DAY_MS } from '../domain/duration.ts';
import { createFindingBuilder, type Finding } from './finding.ts';

/** A certificate that ends sooner is worth a word. */
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
  const detail = `of ${issuer}, until ${valid_to}`;
  return Date.parse(valid_to) - now > EXPIRES_SOON_MS
    ? certificate.ok(detail)
    : certificate.warning(`${detail}, which is soon`, 'Renew it before receivers of deliveries are cut off.');
}

function checkGenuine({ webhook_id, url }: WebhookProbe, answer: ProbeResponse): Finding {
  const accepts = createFindingBuilder(`${webhook_id}/accepts_signed`, `signed delivery to ${url}`);
  const { outcome, response_status: status } = answer;
  if (outcome === 'succeeded') return accepts.ok(`answered ${status}`);
  const rejected = status === 400 || status === 401 || status === 403;
  return accepts.problem(
    answer.error ?? outcome,
    rejected
      ? `Does the receiver have the secret of this endpoint, and does it verify the raw body? A new secret: svc webhooks rotate-secret ${webhook_id}`
      : remedyFor(answer, { webhook_id, url }),
  );
}

/** §6.4: where verification fails, the receiver answers with a client error. */
function checkForged({ webhook_id, url }: WebhookProbe, answer: ProbeResponse): Finding {
  const rejects = createFindingBuilder(`${webhook_id}/rejects_forged`, `forged delivery to ${url}`);
  const { outcome, response_status: status } = answer;
  if (status === null)
    return rejects.problem(answer.error ?? outcome, remedyFor(answer, { webhook_id, url }));
  if (status >= 400 && status < 500) return rejects.ok(`answered ${status}`);
  return rejects.problem(
    outcome === 'succeeded'
      ? `answered ${status}: anybody can send it events`
      : `answered ${status} instead of a client error`,
    'Verify the signature before anything else, and answer 400 when it is wrong: svc verify shows how.',
  );
}

function remedyFor(
  answer: Pick<ProbeResponse, 'outcome' | 'response_status'>,
  webhook: Pick<WebhookProbe, 'webhook_id' | 'url'>,
): string | null {
  return findAttemptHints(answer, { id: 'del_…', ...webhook })[0] ?? null;
}
