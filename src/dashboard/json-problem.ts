/** What keeps a text from being the JSON object that the emulator takes, for whoever is writing it. */
import { locateJsonError, parseJsonObject } from '../domain/json.ts';

export interface JsonProblem {
  readonly message: string;
  /** Line and column, both from 1, and the index in the text; null where no one place is to blame. */
  readonly position: { readonly line: number; readonly column: number; readonly index: number } | null;
}

/** Null where the text is a JSON object that names no member twice and does not nest too deep. */
export function findJsonProblem(text: string): JsonProblem | null {
  try {
    parseJsonObject(text);
    return null;
  } catch (error) {
    if ((error as Error).cause === undefined) return { message: toMessage(error as Error), position: null };
    return describeSyntaxError(text);
  }
}

/** What the emulator calls the body is whatever text is being written here. */
function toMessage({ message }: Error): string {
  return message.replace('The body', 'It');
}

function describeSyntaxError(text: string): JsonProblem {
  const { line, column } = locateJsonError(text);
  const before = text.split('\n', line - 1).reduce((length, { length: more }) => length + more + 1, 0);
  const index = before + column - 1;
  const [found] = /^(?:"[^"\n]{0,20}"?|[\w.+-]{1,20}|\S)/u.exec(text.slice(index)) ?? [];
  const message = found === undefined ? 'Something is missing at the end.' : `${found} does not fit here.`;
  return { message, position: { line, column, index } };
}
