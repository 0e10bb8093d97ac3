/** Whether a text is an absolute `http:` or `https:` URL of visible ASCII characters, so that it stays on one line and in one word. */
export function isHttpUrl(text: string): boolean {
  return /^https?:\/\/[\x21-\x7e]+$/i.test(text) && URL.canParse(text);
}
