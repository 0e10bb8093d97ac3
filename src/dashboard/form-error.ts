/** A validation error of a form. */
export interface FormError {
  /** Name of the invalid field; null when the error concerns the whole form. */
  readonly field: string | null;
  readonly message: string;
}

/** Error messages of the emulator start with the path of the invalid field: `events[1] must be …`. */
export function toFormError(message: string, fields: readonly string[]): FormError {
  const field = fields.find((name) => message.startsWith(name) && !/^\w/.test(message.slice(name.length)));
  if (field === undefined) return { field: null, message: message };
  const rest = message.slice(field.length).trimStart();
  const text = message[field.length] === ' ' ? `${rest.charAt(0).toUpperCase()}${rest.slice(1)}` : message;
  return { field, message: text };
}
