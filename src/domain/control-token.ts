/** Only characters that need no escape in a link, a cookie or a header. */
const TOKEN = /^[\w.~-]{16,256}$/;

/** Whether text can be the token of a control plane. The token allows everything, so it must be hard to guess. */
export function isControlToken(text: string): boolean {
  return TOKEN.test(text);
}
