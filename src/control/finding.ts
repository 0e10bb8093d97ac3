/** A finding: the result of one check, as `svc doctor` prints it. */
import { SvcError } from '../errors.ts';

/** `skipped`: the check was not possible or not requested. */
export const findingStatuses = ['ok', 'warning', 'problem', 'skipped'] as const;
export type FindingStatus = (typeof findingStatuses)[number];

export interface Finding {
  /** `database`; for one of several endpoints `wh_…/reachable`. */
  readonly id: string;
  readonly status: FindingStatus;
  /** What was checked. */
  readonly title: string;
  readonly detail: string;
  /** What to do next; null if there is nothing to do. */
  readonly remedy: string | null;
}

/** Creates the finding of one check. */
export interface FindingBuilder {
  ok(detail: string): Finding;
  warning(detail: string, remedy: string): Finding;
  problem(detail: string, remedy: string | null): Finding;
  skipped(detail: string, remedy?: string): Finding;
  /** The problem that an `SvcError` describes, with its hint. Throws other errors. */
  fromError(error: unknown): Finding;
}

export function createFindingBuilder(id: string, title: string): FindingBuilder {
  const createFinding = (status: FindingStatus, detail: string, remedy: string | null): Finding => ({
    id,
    status,
    title,
    detail,
    remedy,
  });
  return {
    ok: (detail) => createFinding('ok', detail, null),
    warning: (detail, remedy) => createFinding('warning', detail, remedy),
    problem: (detail, remedy) => createFinding('problem', detail, remedy),
    skipped: (detail, remedy) => createFinding('skipped', detail, remedy ?? null),
    fromError: (error) => {
      if (!(error instanceof SvcError) || error.code === 'interrupted') throw error;
      return createFinding('problem', error.message, error.hint ?? null);
    },
  };
}
