import { expect, it, onTestFinished } from 'vitest';
import { keepGlobalClass } from '../../src/http/original-class.ts';

const current = Object.getOwnPropertyDescriptor(globalThis, 'Response') ?? {};

/** Defines a global as Node.js does: a getter that defines the property again. */
function defineLazily(load: () => unknown): void {
  onTestFinished(() => void Object.defineProperty(globalThis, 'Response', current));
  const define = (value: unknown) =>
    Object.defineProperty(globalThis, 'Response', { value, writable: true, configurable: true });
  const get = () => {
    const loaded = load();
    define(loaded);
    return loaded;
  };
  Object.defineProperty(globalThis, 'Response', { get, set: define, configurable: true });
}

class Original {}
class Replacement {}

it('a kept class is loaded when it is first used, and only once', () => {
  let loads = 0;
  defineLazily(() => {
    loads++;
    return Original;
  });
  const getResponse = keepGlobalClass('Response');
  expect(loads).toBe(0);
  expect([getResponse(), getResponse(), loads]).toEqual([Original, Original, 1]);
});

it('a kept class is the original one after the global was replaced, and the global stays replaced', () => {
  defineLazily(() => Original);
  const getResponse = keepGlobalClass('Response');
  globalThis.Response = Replacement as never;
  expect([getResponse(), globalThis.Response]).toEqual([Original, Replacement]);
});

it('a class that was loaded before it is kept stays after the global was replaced', () => {
  defineLazily(() => Original);
  globalThis.Response = Original as never;
  const getResponse = keepGlobalClass('Response');
  globalThis.Response = Replacement as never;
  expect(getResponse()).toBe(Original);
});
