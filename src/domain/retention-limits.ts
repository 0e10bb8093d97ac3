/** How much a database keeps. What is pending is always kept. */

/** Each null keeps everything. */
export interface RetentionLimits {
  /** Days of wall time. */
  readonly days: number | null;
  /** Requests of the log. */
  readonly requests: number | null;
  /** Megabytes (2^20 bytes) that rows and indexes take up. */
  readonly megabytes: number | null;
}

export const defaultRetentionLimits = {
  days: 30,
  requests: 100_000,
  megabytes: 1_024,
} as const satisfies RetentionLimits;
