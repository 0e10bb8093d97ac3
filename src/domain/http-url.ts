/** Whether text is an absolute `http:` or `https:` URL in visible ASCII characters, so that it stays one word on one line. */
export function isHttpUrl(text: string): boolean {
  return /^https?:\/\/[\x21-\x7e]+$/i.test(text) && URL.canParse(text);
}
