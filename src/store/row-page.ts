/** Keyset pages: the cost of a page does not grow with the table, and creation meanwhile neither skips nor repeats a row. */

export interface PageRequest {
  readonly limit: number;
  /** `seq` of the row after which the page starts (newest first); null for the first page. */
  readonly beforeSeq: number | null;
}

export interface RowPage<Row> {
  readonly rows: Row[];
  readonly hasMore: boolean;
}

/** The cursor as a bound: rows are read downwards from here. */
export function upperBound(request: PageRequest): number {
  return request.beforeSeq ?? Number.MAX_SAFE_INTEGER;
}

/** Cuts a page out of up to `limit + 1` rows: the row too many tells that there is more. */
export function toPage<Row>(rows: Row[], limit: number): RowPage<Row> {
  return { rows: rows.slice(0, limit), hasMore: rows.length > limit };
}
