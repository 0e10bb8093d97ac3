/** What a search by a piece of text means, in lists and in the live stream. */

/** Whether `text` has `wanted`, which is in lower case, in it, in whatever case. */
export function containsText(text: string, wanted: string): boolean {
  return text.toLowerCase().includes(wanted);
}
