/**
 * Findings: the results of checks, as `svc doctor` prints them. Those of a connection say whether an endpoint is
 * reachable.
 */

import { DAY_MS } from '../domain/duration.ts';
import { type Hint, SvcError, toHint } from '../domain/errors.ts';
import type { WebhookConnection } from '../operations/connection-schemas.ts';
import { describeEndpoint } from './find-layer.ts';
import { listFixes } from './transport-problems.ts';

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
export function toConnectionFindings(
  { webhook_id, url, outcome, error, address, duration_ms, certificate }: WebhookConnection,
  now: number,
): Finding[] {
  const { ok, problem } = createFindingBuilder(`${webhook_id}/reachable`, `connection to ${url}`);
  if (outcome !== 'connected') {
    const [hint = null] = listFixes(outcome, error, describeEndpoint(webhook_id, url));
    return [problem(error ?? outcome, hint)];
  }
  const reachable = ok(`${address} in ${Math.ceil(duration_ms)} ms`);
  if (certificate === null) return [reachable];
  const { issuer, valid_to } = certificate;
  const finding = createFindingBuilder(`${webhook_id}/certificate`, `certificate of ${url}`);
  const leftMs = Date.parse(valid_to) - now;
  if (leftMs > EXPIRES_SOON_MS) return [reachable, finding.ok(`from ${issuer}, valid until ${valid_to}`)];
  const state = leftMs > 0 ? 'expires soon' : 'expired';
  return [reachable, finding.warning(`from ${issuer}, ${state}: ${valid_to}`, 'Renew the certificate.')];
}
