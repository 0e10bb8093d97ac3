/** Keyset pagination: a page costs the same in a large table, and rows created between two pages are neither skipped nor repeated. */

export interface PageRequest {
  readonly limit: number;
  /** `seq` of the last row of the page before (newest first); null for the first page. */
  readonly beforeSeq: number | null;
}

export interface RowPage<Row> {
  readonly rows: Row[];
  readonly hasMore: boolean;
}

/** The `seq` below which the page starts. */
export function upperBound(request: PageRequest): number {
  return request.beforeSeq ?? Number.MAX_SAFE_INTEGER;
}

/** Makes a page from up to `limit + 1` rows: the extra row shows that there are more. */
export function toPage<Row>(rows: Row[], limit: number): RowPage<Row> {
  return { rows: rows.slice(0, limit), hasMore: rows.length > limit };
}
