/** What was found out about one thing, as `svc doctor` tells it. */
import { SvcError } from '../errors.ts';

/** `skipped` is what could not be looked at, or was not to be. */
export const findingStatuses = ['ok', 'warning', 'problem', 'skipped'] as const;
export type FindingStatus = (typeof findingStatuses)[number];

export interface Finding {
  /** `database`; for one of several endpoints `wh_…/reachable`. */
  readonly id: string;
  readonly status: FindingStatus;
  /** What was looked at. */
  readonly title: string;
  readonly detail: string;
  /** What to do; null where there is nothing. */
  readonly remedy: string | null;
}

/** The words in which one thing is found to be so or so. */
export interface FindingBuilder {
  ok(detail: string): Finding;
  warning(detail: string, remedy: string): Finding;
  problem(detail: string, remedy: string | null): Finding;
  skipped(detail: string, remedy?: string): Finding;
  /** The problem that an `SvcError` tells of, with its next step; throws what is none. */
  fromError(error: unknown): Finding;
}

export function createFindingBuilder(id: string, title: string): FindingBuilder {
  const find = (status: FindingStatus, detail: string, remedy: string | null): Finding => ({
    ...{ id, status, title, detail, remedy },
  });
  return {
    ok: (detail) => find('ok', detail, null),
    warning: (detail, remedy) => find('warning', detail, remedy),
    problem: (detail, remedy) => find('problem', detail, remedy),
    skipped: (detail, remedy) => find('skipped', detail, remedy ?? null),
    fromError: (error) => {
      // Whoever interrupts wants no finding, and what is no SvcError is a fault of ours.
      if (!(error instanceof SvcError) || error.code === 'interrupted') throw error;
      return find('problem', error.message, error.hint ?? null);
    },
  };
}
