/** Assigns an error message to the form field that it is about. */
import { capitalize } from '../domain/message-parts.ts';

export interface FormError {
  /** Name of the invalid field; null when the error concerns the whole form. */
  readonly field: string | null;
  readonly message: string;
}

/**
 * Error messages of the emulator start with the path of the invalid field: `events[1] must be …`. Those of a form can also be
 * sentences after the name: `status: Enter a status.`
 */
export function toFormError(message: string, fields: readonly string[]): FormError {
  const field = fields.find((name) => message.startsWith(name) && !/^\w/.test(message.slice(name.length)));
  if (field === undefined) return { field: null, message };
  const [, rest] = /^:? (.+)$/s.exec(message.slice(field.length)) ?? [];
  return { field, message: rest === undefined ? message : capitalize(rest) };
}
