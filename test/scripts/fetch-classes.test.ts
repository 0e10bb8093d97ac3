import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

interface FetchClasses {
  readonly Headers: typeof Headers;
  readonly Request: typeof Request;
  readonly Response: typeof Response;
  readonly ReadableStream: typeof ReadableStream;
  readonly ownGlobals: object;
}

const script = pathToFileURL(join(import.meta.dirname, '../../scripts/fetch-classes.mjs')).href;
const { ownGlobals, ...own }: FetchClasses = await import(script);

type Change = readonly ['append' | 'set' | 'delete', name: string, value: string];

const name = fc.constantFrom('Allow', 'allow', 'ETag', 'Set-Cookie', 'set-cookie', 'X-A');
const value = fc.constantFrom('', 'a', 'b, c', 'd=1; Path=/');

describe('the classes that replace those of the Fetch API in h3', () => {
  it('Headers does the same as the Headers of Node.js', () => {
    const change = fc.tuple(fc.constantFrom('append', 'set', 'delete'), name, value);
    const init = fc.oneof(fc.dictionary(name, value), fc.array(fc.tuple(name, value)));
    fc.assert(
      fc.property(init, fc.array(change), name, (initial, changes, asked) => {
        const described = describeHeaders(new own.Headers(initial), changes, asked);
        expect(described).toEqual(describeHeaders(new Headers(initial), changes, asked));
      }),
    );
  });

  it('Headers can be created from those of Node.js, and those of Node.js from Headers', () => {
    const entries = [
      ['set-cookie', 'a'],
      ['set-cookie', 'b'],
      ['x-a', 'c'],
    ] as const;
    const headers = new own.Headers(new Headers(entries.map(([...entry]) => entry)));
    expect([...headers]).toEqual(entries);
    expect([...new Headers([...headers])]).toEqual(entries);
  });

  it('Response and Request create those of Node.js', async () => {
    const response = new own.Response('a', { status: 201, headers: new own.Headers({ 'X-A': 'b' }) });
    expect(response).toBeInstanceOf(Response);
    expect(response).toMatchObject({ status: 201 });
    expect(response.headers.get('x-a')).toBe('b');
    expect(new own.Request('http://a.test/')).toBeInstanceOf(Request);
  });

  it('ReadableStream creates that of Node.js, and recognizes each stream', () => {
    const stream = new own.ReadableStream({ start: (controller) => controller.close() });
    expect(stream).toBeInstanceOf(ReadableStream);
    expect(new Response('a').body).toBeInstanceOf(own.ReadableStream);
    for (const body of [undefined, null, '', 'a', new Uint8Array(1), new Blob([]), new Response('a')]) {
      expect(body).not.toBeInstanceOf(own.ReadableStream);
    }
  });

  it('the globals of srvx are not those of the process', () => {
    expect(ownGlobals).toMatchObject({
      Headers: own.Headers,
      Request: own.Request,
      Response: own.Response,
      URL,
    });
    expect(globalThis.Headers).not.toBe(own.Headers);
  });
});

function describeHeaders(headers: Headers, changes: readonly Change[], asked: string) {
  for (const [method, changed, text] of changes) {
    if (method === 'delete') headers.delete(changed);
    else headers[method](changed, text);
  }
  return {
    entries: [...headers],
    keys: [...headers.keys()],
    value: headers.get(asked),
    has: headers.has(asked),
    cookies: headers.getSetCookie(),
  };
}
