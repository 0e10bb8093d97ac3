/** Headers that somebody adds to the deliveries of an endpoint, beside those that every delivery carries (§6). Pure. */

const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i;
/** What HTTP allows in a value, without the obsolete bytes past ASCII: receivers read those in different ways. */
const VALUE = /^[\t\x20-\x7e]*$/;
const VALUE_MAX_LENGTH = 4096;

/** The emulator says these itself: of the body, of itself, or of the connection. */
const TRANSPORT =
  /^(?:content-(?:type|length)|user-agent|host|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|proxy-.*)$/i;
/** Those of the signature. */
const SIGNATURE = /^service-/i;

/** Whether a scheme may put something of the signature under this name. */
export function isAllowedHeaderName(name: unknown): name is string {
  return typeof name === 'string' && NAME.test(name) && !TRANSPORT.test(name);
}

/** Why a header cannot be added, as a sentence about it; null when it can. */
export function findHeaderProblem(name: string, value: string): string | null {
  if (!NAME.test(name)) return `${JSON.stringify(name)} is not the name of a header`;
  if (TRANSPORT.test(name) || SIGNATURE.test(name))
    return `${name} is set by the emulator and cannot be changed`;
  if (!VALUE.test(value)) return `the value of ${name} must be printable ASCII, on one line`;
  if (value.length > VALUE_MAX_LENGTH) {
    return `the value of ${name} must not be longer than ${VALUE_MAX_LENGTH} characters`;
  }
  return null;
}
