// Replaces the classes of the Fetch API in h3 and srvx. h3 and srvx subclass the Fetch classes when they load, and use `Headers` in every
// response. Node.js would load its whole implementation of `fetch` for them: costly at startup. They also check whether each body is a
// `ReadableStream`, which would make Node.js load its streams.

/** The part of `Headers` that h3 and srvx use. Names and values are not checked here: `node:http` checks them when it sends them. */
export class Headers {
  /** The values by name in lower case. */
  #values = new Map();

  constructor(init = []) {
    for (const [name, value] of Symbol.iterator in init ? init : Object.entries(init))
      this.append(name, value);
  }

  append(name, value) {
    const key = name.toLowerCase();
    this.#values.set(key, [...(this.#values.get(key) ?? []), String(value)]);
  }

  set(name, value) {
    this.#values.set(name.toLowerCase(), [String(value)]);
  }

  delete(name) {
    this.#values.delete(name.toLowerCase());
  }

  get(name) {
    return this.#values.get(name.toLowerCase())?.join(', ') ?? null;
  }

  has(name) {
    return this.#values.has(name.toLowerCase());
  }

  getSetCookie() {
    return this.#values.get('set-cookie') ?? [];
  }

  *entries() {
    for (const name of [...this.#values.keys()].sort()) {
      // Cookies cannot be joined.
      const values = name === 'set-cookie' ? this.getSetCookie() : [this.get(name)];
      for (const value of values) yield [name, value];
    }
  }

  keys() {
    return Array.from(this, ([name]) => name).values();
  }

  [Symbol.iterator]() {
    return this.entries();
  }
}

/** A class that creates objects of the class of Node.js, which it does not load before. */
function createLateClass(name) {
  return class {
    constructor(...options) {
      const Original = globalThis[name];
      // biome-ignore lint/correctness/noConstructorReturn: srvx calls it as a constructor.
      return new Original(...options);
    }
  };
}

export const Request = createLateClass('Request');
export const Response = createLateClass('Response');
export const ReadableStream = createLateClass('ReadableStream');
// Never called: `lazyInherit` of srvx gives its own class a getter for each one here.
Object.defineProperty(Response.prototype, 'body', { get: () => null });
Object.defineProperty(ReadableStream, Symbol.hasInstance, {
  value: (stream) => typeof stream?.getReader === 'function',
});

/** The `globalThis` of srvx, which stores its classes there. Another copy of srvx in this process does not see them. */
export const ownGlobals = { Headers, Request, Response, URL, URLSearchParams };
