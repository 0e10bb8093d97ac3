/**
 * Findings: the results of checks, as `svc doctor` prints them. Those of a connection say whether an endpoint is
 * reachable.
 */

import { DAY_MS } from '../domain/duration.ts';
import { type Hint, SvcError, toHint } from '../domain/errors.ts';
import type { WebhookConnection } from '../operations/connection-schemas.ts';
import { judgeResult } from './judge-attempt.ts';

/** `skipped`: the check was not possible or not requested. */
type FindingStatus = 'ok' | 'warning' | 'problem' | 'skipped';

export interface Finding {
  /** `database`; for one of several endpoints `wh_…/reachable`. */
  readonly id: string;
  readonly status: FindingStatus;
  /** What was checked. */
  readonly title: string;
  readonly detail: string;
  /** What to do next; null if there is nothing to do. */
  readonly hint: Hint | null;
}

type HintInput = Hint | string | null;

/** Creates the finding of one check. */
export function createFindingBuilder(id: string, title: string) {
  const createFinding = (status: FindingStatus, detail: string, hint: HintInput): Finding => ({
    id,
    status,
    title,
    detail,
    hint: hint === null ? null : toHint(hint),
  });
  return {
    ok: (detail: string) => createFinding('ok', detail, null),
    warning: (detail: string, hint: Hint | string) => createFinding('warning', detail, hint),
    problem: (detail: string, hint: HintInput) => createFinding('problem', detail, hint),
    skipped: (detail: string, hint: HintInput = null) => createFinding('skipped', detail, hint),
    /** The problem that an `SvcError` describes, with its hint. Throws other errors. */
    fromError(error: unknown, findHint = ({ hint }: SvcError) => hint) {
      if (!(error instanceof SvcError) || error.code === 'interrupted') throw error;
      return createFinding('problem', error.message, findHint(error) ?? null);
    },
  };
}

/** A certificate that expires within this time is a warning. */
const EXPIRES_SOON_MS = 14 * DAY_MS;

/** @param now wall time, in milliseconds since 1970. */
export function toConnectionFindings(connection: WebhookConnection, now: number): Finding[] {
  const { certificate } = connection;
  return [
    checkConnection(connection),
    ...(certificate === null ? [] : [checkCertificate(connection, certificate, now)]),
  ];
}

function checkConnection({
  webhook_id,
  url,
  outcome,
  error,
  address,
  duration_ms,
}: WebhookConnection): Finding {
  const finding = createFindingBuilder(`${webhook_id}/reachable`, `connection to ${url}`);
  if (outcome === 'connected') return finding.ok(`${address} in ${Math.ceil(duration_ms)} ms`);
  // A connection has no delivery, and no hint for its result contains the ID of one.
  const { hints } = judgeResult({ outcome, error, response_status: null }, { id: 'del_…', webhook_id, url });
  return finding.problem(error ?? outcome, hints[0] ?? null);
}

function checkCertificate(
  { webhook_id, url }: WebhookConnection,
  { issuer, valid_to }: NonNullable<WebhookConnection['certificate']>,
  now: number,
): Finding {
  const finding = createFindingBuilder(`${webhook_id}/certificate`, `certificate of ${url}`);
  const leftMs = Date.parse(valid_to) - now;
  if (leftMs > EXPIRES_SOON_MS) return finding.ok(`from ${issuer}, valid until ${valid_to}`);
  return leftMs > 0
    ? finding.warning(
        `from ${issuer}, expires soon: ${valid_to}`,
        'Renew the certificate before deliveries fail.',
      )
    : finding.warning(`from ${issuer}, expired: ${valid_to}`, 'Renew the certificate.');
}
