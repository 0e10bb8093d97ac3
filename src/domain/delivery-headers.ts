/** Which header names and values users can set: on deliveries of an endpoint (§6), and in signature schemes. */

export const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i;
/** Printable ASCII, spaces and tabs. HTTP also allows bytes above 0x7F, which receivers decode differently. */
const HEADER_VALUE = /^[\t\x20-\x7e]*$/;
const MAX_VALUE_LENGTH = 4096;

/** Headers that the emulator sets for the body, for itself or for the connection. */
const RESERVED_NAME =
  /^(?:content-(?:type|length)|user-agent|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|proxy-.*)$/i;
/** Headers that the service sets (§6). */
const SERVICE_NAME = /^service-/i;

/** Whether the name is valid and not one that svc sets. */
export function isSchemeHeaderName(name: unknown): name is string {
  if (typeof name !== 'string' || !HEADER_NAME.test(name)) return false;
  return !RESERVED_NAME.test(name) && !/^host$/i.test(name);
}

/** Why an endpoint cannot add a header to its deliveries, as a clause; null if it can. Only local endpoints can add `Host`. */
export function findCustomHeaderProblem(name: string, value: string): string | null {
  if (!HEADER_NAME.test(name)) return `${JSON.stringify(name)} is not a valid header name`;
  if (RESERVED_NAME.test(name) || SERVICE_NAME.test(name))
    return `${name} is set by the emulator and cannot be changed`;
  if (!HEADER_VALUE.test(value)) return `the value of ${name} must be printable ASCII on one line`;
  if (value.length > MAX_VALUE_LENGTH) {
    return `the value of ${name} must not be longer than ${MAX_VALUE_LENGTH} characters`;
  }
  return null;
}

/** Adds a header that a user wrote as `Name: value`. @returns the headers, or the reason why the line is invalid */
export function addHeaderLine(
  line: string,
  headers: Readonly<Record<string, string>>,
): Record<string, string> | string {
  const colon = line.indexOf(':');
  if (colon === -1)
    return `'${line.trim()}' must have the form Name: value, such as 'Authorization: Bearer abc'`;
  const [name, value] = [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
  const isSameName = (other: string) => other.toLowerCase() === name.toLowerCase();
  if (Object.keys(headers).some(isSameName)) return `${name} appears twice`;
  return findCustomHeaderProblem(name, value) ?? { ...headers, [name]: value };
}
