/** Text of others in front of a person: what would end the line or command the terminal is shown, not obeyed. */

/** Control characters, but for those that begin a colour, which is ours. */
const CONTROL = /(?!\x1b\[[\d;]*m)\p{Cc}/gu;
const CONTROL_IN_LINES = /(?![\n\t])\p{Cc}/gu;

/** For text that has to stay on one line, and may be coloured already. */
export function toOneLine(text: string): string {
  return text.replace(CONTROL, escapeCharacter);
}

/** For text of several lines without colours, such as a body. */
export function toPlainLines(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(CONTROL_IN_LINES, escapeCharacter);
}

/** `\n`, `\x1b` */
function escapeCharacter(character: string): string {
  const short = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }[character];
  return short ?? `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
}
