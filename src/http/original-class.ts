/** Keeps classes of the Fetch API of Node.js, because a test or a library can replace the globals later. */

/** @returns a function that returns the class that was global at its first call. Until then, Node.js need not load its `fetch`. */
export function keepGlobalClass<Name extends 'Request' | 'Response' | 'ReadableStream'>(
  name: Name,
): () => (typeof globalThis)[Name] {
  let original: (typeof globalThis)[Name] | undefined;
  return () => {
    original ??= globalThis[name];
    return original;
  };
}
