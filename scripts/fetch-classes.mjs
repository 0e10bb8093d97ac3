// Replaces the classes of the Fetch API in h3 and srvx. h3 and srvx subclass the Fetch classes when they load, and use `Headers` in every
// response. Node.js would load its whole implementation of `fetch` for them: 10 ms and 5 MB. They also check whether each body is a
// `ReadableStream`, which would make Node.js load its streams: 2 ms.
import { keepGlobalClass } from '../src/http/original-class.ts';

/** The part of `Headers` that h3 and srvx use. Names and values are not checked here: `node:http` checks them when it sends them. */
export class Headers {
  /** By name in lower case. */
  #values = new Map();
  /** The values of `Set-Cookie`, which cannot be joined. */
  #cookies = [];

  constructor(init = []) {
    for (const [name, value] of Symbol.iterator in init ? init : Object.entries(init))
      this.append(name, value);
  }

  append(name, value) {
    const key = name.toLowerCase();
    const text = String(value);
    if (key === 'set-cookie') this.#cookies.push(text);
    else this.#values.set(key, this.#values.has(key) ? `${this.#values.get(key)}, ${text}` : text);
  }

  set(name, value) {
    this.delete(name);
    this.append(name, value);
  }

  delete(name) {
    const key = name.toLowerCase();
    if (key === 'set-cookie') this.#cookies = [];
    else this.#values.delete(key);
  }

  get(name) {
    const key = name.toLowerCase();
    if (key !== 'set-cookie') return this.#values.get(key) ?? null;
    return this.#cookies.length === 0 ? null : this.#cookies.join(', ');
  }

  has(name) {
    return this.get(name) !== null;
  }

  getSetCookie() {
    return this.#cookies;
  }

  entries() {
    const entries = [...this.#values, ...this.#cookies.map((cookie) => ['set-cookie', cookie])];
    return entries.sort(([a], [b]) => (a < b ? -1 : Number(a > b))).values();
  }

  keys() {
    return Array.from(this, ([name]) => name).values();
  }

  [Symbol.iterator]() {
    return this.entries();
  }
}

const getResponseClass = keepGlobalClass('Response');
const getRequestClass = keepGlobalClass('Request');

/** Creates the `Response` of Node.js, for a request of this process. */
export class Response {
  constructor(body, init) {
    const OriginalResponse = getResponseClass();
    // biome-ignore lint/correctness/noConstructorReturn: srvx calls it as a constructor.
    return new OriginalResponse(body, init);
  }

  /** Never called: `lazyInherit` of srvx gives its own class a getter for each one here, which reads the response created above. */
  get body() {
    return null;
  }
}

/** Creates the `Request` of Node.js. */
export class Request {
  constructor(input, init) {
    const OriginalRequest = getRequestClass();
    // biome-ignore lint/correctness/noConstructorReturn: srvx calls it as a constructor.
    return new OriginalRequest(input, init);
  }
}

const getStreamClass = keepGlobalClass('ReadableStream');

/** Creates the `ReadableStream` of Node.js, and recognizes one without loading the class. */
export class ReadableStream {
  constructor(...options) {
    const OriginalReadableStream = getStreamClass();
    // biome-ignore lint/correctness/noConstructorReturn: srvx calls it as a constructor.
    return new OriginalReadableStream(...options);
  }

  static [Symbol.hasInstance](value) {
    return typeof value?.getReader === 'function';
  }
}

/** The `globalThis` of srvx, which stores its classes there. Another copy of srvx in this process does not see them. */
export const ownGlobals = { Headers, Request, Response, URL, URLSearchParams };
