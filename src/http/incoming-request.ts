/**
 * A request to the emulator, from a connection or of this process. It is no `Request`, because Node.js loads its implementation
 * of `fetch` when a program first uses `Request`, `Response` or `Headers`, which takes longer than the rest of a start.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TLSSocket } from 'node:tls';

/** The part of `Headers` that the server uses. Names are in lower case. */
export type RequestHeaders = Pick<Headers, 'get' | 'has'> & Iterable<readonly [string, string]>;

interface RequestHead {
  readonly method: string;
  readonly url: URL;
  readonly headers: RequestHeaders;
  /** The values of `:name` in the path of the route. */
  readonly params: Readonly<Record<string, string>>;
}

interface FromConnection extends RequestHead {
  readonly node: { readonly req: IncomingMessage; readonly res: ServerResponse };
  readonly fetchRequest?: undefined;
}

interface FromThisProcess extends RequestHead {
  readonly node?: undefined;
  readonly fetchRequest: Request;
}

export type IncomingRequest = FromConnection | FromThisProcess;

export function fromNode(req: IncomingMessage, res: ServerResponse): IncomingRequest {
  return {
    method: req.method ?? 'GET',
    url: withNormalPath(toUrl(req)),
    headers: new NodeHeaders(req),
    params: {},
    node: { req, res },
  };
}

export function fromFetch(fetchRequest: Request): IncomingRequest {
  const { method, url, headers } = fetchRequest;
  return { method, url: withNormalPath(new URL(url)), headers, params: {}, fetchRequest };
}

/** The URL of a request with a valid `Host` and target, see `malformed-request.ts`. */
function toUrl({ url: target = '/', headers: { host }, socket }: IncomingMessage): URL {
  const scheme = (socket as Partial<TLSSocket>).encrypted ? 'https' : 'http';
  if (target.startsWith('/')) return new URL(`${scheme}://${host}${target}`);
  if (target === '*') return new URL(`${scheme}://${host}/*`);
  const url = new URL(target);
  const path = url.pathname.startsWith('/') ? url.pathname : `/${url.pathname}`;
  return new URL(`${scheme}://${url.host || host}${path}${url.search}`);
}

/** Encoded letters, digits, `-`, `.`, `_` and `~`, which mean the same without encoding (RFC 3986, section 6.2.2.2). */
const NEEDLESS_ENCODING = /%(?:2[DE]|3\d|[46][1-9A-F]|5[\dAF]|7[\dAE])/gi;

function withNormalPath(url: URL): URL {
  const { pathname } = url;
  const path = pathname.replace(NEEDLESS_ENCODING, decodeURIComponent);
  if (path !== pathname) url.pathname = path;
  return url;
}

/** Joins values of a repeated header as the Fetch API does, so that none of them is ignored. */
class NodeHeaders implements RequestHeaders {
  readonly #request: IncomingMessage;

  constructor(request: IncomingMessage) {
    this.#request = request;
  }

  get(name: string): string | null {
    const values = this.#request.headersDistinct[name];
    return values?.join(name === 'cookie' ? '; ' : ', ') ?? null;
  }

  has(name: string): boolean {
    return this.#request.headersDistinct[name] !== undefined;
  }

  *[Symbol.iterator](): Iterator<[string, string]> {
    for (const name of Object.keys(this.#request.headersDistinct)) yield [name, this.get(name) ?? ''];
  }
}
