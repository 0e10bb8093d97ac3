import { parseJsonObject } from '../domain/json.ts';
import { locateJsonError } from '../domain/json-error-position.ts';

export interface JsonProblem {
  readonly message: string;
  /** Line and column from 1, and the index in the text; null when the problem has no single position. */
  readonly position: { readonly line: number; readonly column: number; readonly index: number } | null;
}

/** Null when the text is a JSON object without duplicate keys that is not nested too deeply. */
export function findJsonProblem(text: string): JsonProblem | null {
  try {
    parseJsonObject(text);
    return null;
  } catch (error) {
    if ((error as Error).cause === undefined) return { message: toMessage(error as Error), position: null };
    return describeSyntaxError(text);
  }
}

/** Messages of the parser are about a request body. The text is not always one. */
function toMessage({ message }: Error): string {
  return message.replace('The body', 'It');
}

function describeSyntaxError(text: string): JsonProblem {
  const { line, column } = locateJsonError(text);
  const lineStart = text.split('\n', line - 1).reduce((sum, { length }) => sum + length + 1, 0);
  const index = lineStart + column - 1;
  const [token] = /^(?:"[^"\n]{0,20}"?|[\w.+-]{1,20}|\S)/u.exec(text.slice(index)) ?? [];
  const message = token === undefined ? 'Unexpected end of the text.' : `Unexpected ${token}.`;
  return { message, position: { line, column, index } };
}
