/** What keeps a form from being taken. */
export interface FormError {
  /** Name of the field that is to blame; null where none is. */
  readonly field: string | null;
  /** A sentence for people. */
  readonly message: string;
}

/** The emulator begins its messages with the path of the member that they are about: `events[1] must be …`. */
export function toFormError(message: string, fields: readonly string[]): FormError {
  const field = fields.find((name) => message.startsWith(name) && !/^\w/.test(message.slice(name.length)));
  if (field === undefined) return { field: null, message: message };
  const rest = message.slice(field.length).trimStart();
  const text = message[field.length] === ' ' ? `${rest.charAt(0).toUpperCase()}${rest.slice(1)}` : message;
  return { field, message: text };
}
