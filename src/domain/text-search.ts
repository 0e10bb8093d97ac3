/** Text search in lists and in the live stream. @param lowerCaseQuery is found in any case */
export function containsText(text: string, lowerCaseQuery: string): boolean {
  return text.toLowerCase().includes(lowerCaseQuery);
}
