/**
 * Parses an absolute URL; null if it is invalid. `URL.canParse` is not used, because after some thousand calls in Node.js 20 and 22
 * it rejects every URL with a character such as `ü`.
 */
export function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

/** Whether text is an absolute `http:` or `https:` URL in visible ASCII characters, so that it stays one word on one line. */
export function isHttpUrl(text: string): boolean {
  return /^https?:\/\/[\x21-\x7e]+$/i.test(text) && parseUrl(text) !== null;
}
