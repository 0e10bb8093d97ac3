/** Visible ASCII (gap `idempotency.scope`). */
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;
const QUOTED = /^"(.*)"$/;

/** The key in the value of an `Idempotency-Key` header, bare or quoted; null if the value is invalid. */
export function readIdempotencyKey(header: string): string | null {
  const key = QUOTED.exec(header)?.[1] ?? header;
  return IDEMPOTENCY_KEY.test(key) ? key : null;
}
