/** Keeps classes of the Fetch API of Node.js, because a test or a library can replace the globals after the import of svc. */

/**
 * Keeps the class that is global now, without loading the `fetch` of Node.js, which defines it by a getter.
 * @returns a function that returns the class, and loads `fetch` if necessary
 */
export function keepGlobalClass<Name extends 'Request' | 'Response'>(
  name: Name,
): () => (typeof globalThis)[Name] {
  const { get, value } = Object.getOwnPropertyDescriptor(globalThis, name) ?? {};
  let original = value;
  return () => {
    if (original === undefined && get !== undefined) {
      const current = Object.getOwnPropertyDescriptor(globalThis, name);
      original = get.call(globalThis);
      // The getter of Node.js defines the property again, even if it was replaced.
      if (current !== undefined) Object.defineProperty(globalThis, name, current);
    }
    return original;
  };
}
