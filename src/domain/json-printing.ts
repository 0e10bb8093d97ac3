/** The habits in which libraries print JSON: the same value, other bytes. */

const STRING_OR_MARK = /("[^"\\]*(?:\\.[^"\\]*)*")|([,:])/g;

/** With a space after each comma and colon, as `json.dumps` of Python writes it. @param compactJson without white space. */
export function addJsonSpaces(compactJson: string): string {
  return compactJson.replace(STRING_OR_MARK, (part, text) => (text === undefined ? `${part} ` : part));
}

/** In ASCII alone, as Python and PHP write it. */
export function escapeNonAscii(json: string): string {
  return json.replace(/[\u0080-\uffff]/g, toUnicodeEscape);
}

/** Fit to stand in HTML, as Go writes it. */
export function escapeHtml(json: string): string {
  return json.replace(/[<>&\u2028\u2029]/g, toUnicodeEscape);
}

/** `\u00e9` for `é`. */
export function toUnicodeEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
