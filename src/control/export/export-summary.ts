import type { DisplayStatus } from '../../domain/delivery.ts';

/** What is known about an export before the first delivery is read. */
export interface ExportSummary {
  /** Wall time of the export, as ISO 8601. */
  readonly startedAt: string;
  /** Number of deliveries by status. */
  readonly counts: ReadonlyMap<DisplayStatus, number>;
}
