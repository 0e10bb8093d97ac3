/** Text search in lists and in the live stream. */

/** Whether `text` contains `wanted`, ignoring case. `wanted` must be in lower case. */
export function containsText(text: string, wanted: string): boolean {
  return text.toLowerCase().includes(wanted);
}
