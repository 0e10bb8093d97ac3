/** Checks the custom headers that an endpoint adds to its deliveries (§6). */

const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i;
/** What HTTP allows in a value, except for the obsolete non-ASCII bytes, which receivers decode differently. */
const VALUE = /^[\t\x20-\x7e]*$/;
const VALUE_MAX_LENGTH = 4096;

/** Headers that the emulator sets for the body, for itself or for the connection. */
const TRANSPORT =
  /^(?:content-(?:type|length)|user-agent|host|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|proxy-.*)$/i;
/** Headers of the signature. */
const SIGNATURE = /^service-/i;

/** Whether a signature scheme can use this header name. */
export function isAllowedHeaderName(name: unknown): name is string {
  return typeof name === 'string' && NAME.test(name) && !TRANSPORT.test(name);
}

/** Why a header cannot be added, as a clause; null when it can. */
export function findHeaderProblem(name: string, value: string): string | null {
  if (!NAME.test(name)) return `${JSON.stringify(name)} is not a valid header name`;
  if (TRANSPORT.test(name) || SIGNATURE.test(name))
    return `${name} is set by the emulator and cannot be changed`;
  if (!VALUE.test(value)) return `the value of ${name} must be printable ASCII on one line`;
  if (value.length > VALUE_MAX_LENGTH) {
    return `the value of ${name} must not be longer than ${VALUE_MAX_LENGTH} characters`;
  }
  return null;
}
