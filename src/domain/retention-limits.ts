/** Limits for the size of a database. Pending deliveries are always kept. */

/** `null` disables a limit. */
export interface RetentionLimits {
  /** Days of wall time. */
  readonly days: number | null;
  /** Megabytes (2^20 bytes) of rows and indexes. */
  readonly megabytes: number | null;
}

export const defaultRetentionLimits = {
  days: 30,
  megabytes: 1_024,
} as const satisfies RetentionLimits;
