/** Finds the problem of a JSON text and its position, for forms and editors. */
import { type JsonPosition, locateJsonError, parseJsonObject } from '../domain/json-text.ts';
import { capitalize } from '../domain/message-parts.ts';

export interface JsonProblem {
  readonly message: string;
  /** Null when the problem has no single position. */
  readonly position: JsonPosition | null;
}

let lastChecked = { text: '', problem: checkJson('') };

/** Null when the text is a JSON object without duplicate keys that is not nested too deeply. */
export function findJsonProblem(text: string): JsonProblem | null {
  // A form and its editor both check the text each time the user types a character.
  if (text !== lastChecked.text) lastChecked = { text, problem: checkJson(text) };
  return lastChecked.problem;
}

function checkJson(text: string): JsonProblem | null {
  try {
    parseJsonObject(text);
    return null;
  } catch (error) {
    const { message, cause } = error as Error;
    // Only a syntax error has a cause: the error of the JSON parser.
    if (cause !== undefined) return describeSyntaxError(text);
    // The parser calls the text "The body". The dashboard shows the message under a field with another name.
    return { message: capitalize(message.replace(/^The body (?:has a |is )?/u, '')), position: null };
  }
}

/** `Unexpected }.`, with the string, number, word or character at the position of the error */
function describeSyntaxError(text: string): JsonProblem {
  const position = locateJsonError(text);
  const [token] = /^(?:"[^"\n]{0,20}"?|[\w.+-]{1,20}|\S)/u.exec(text.slice(position.index)) ?? [];
  const message = token === undefined ? 'Unexpected end of input.' : `Unexpected ${token}.`;
  return { message, position };
}
