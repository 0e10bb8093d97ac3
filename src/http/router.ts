/** Finds the handler of a request, and sends its response. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { fromFetch, fromNode, type IncomingRequest } from './incoming-request.ts';
import type { HttpResponse } from './responses.ts';

export type Handler = (request: IncomingRequest) => HttpResponse | Promise<HttpResponse>;

interface Route {
  /** Null for every method. */
  readonly method: string | null;
  /** The values of its parameters; null for another path. */
  readonly match: (path: string) => Record<string, string> | null;
  readonly handler: Handler;
}

/** The last route of an app must accept every request. */
export class Router {
  /** Routes of one path, by that path. */
  readonly #exact = new Map<string, Route[]>();
  readonly #withParameters: Route[] = [];
  /** Routes of all paths below one, the longest first. */
  readonly #prefixes: (Route & { readonly prefix: string })[] = [];

  /**
   * Adds a route. One of a path precedes one with parameters, and that precedes one of a prefix; otherwise the first one counts.
   * @param method null for every method
   * @param pattern a path without a slash at its end. Each `:name` is a parameter, and `/**` at its end every path below, and the
   *   path itself.
   */
  on(method: string | null, pattern: string, handler: Handler): void {
    if (pattern.endsWith('/**')) {
      const prefix = pattern.slice(0, -2);
      const match = (path: string) => (`${path}/`.startsWith(prefix) ? {} : null);
      this.#prefixes.push({ method, match, handler, prefix });
      this.#prefixes.sort((a, b) => b.prefix.length - a.prefix.length);
    } else if (pattern.includes('/:')) {
      const expression = new RegExp(`^${pattern.replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`);
      const match = (path: string) => expression.exec(path)?.groups ?? null;
      this.#withParameters.push({ method, match, handler });
    } else {
      const path = removeLastSlash(pattern);
      const routes = this.#exact.get(path) ?? [];
      this.#exact.set(path, [...routes, { method, match: () => ({}), handler }]);
    }
  }

  /** Responds to a request of this process. */
  async fetch(fetchRequest: Request): Promise<Response> {
    const request = fromFetch(fetchRequest);
    const { status, headers, body } = await this.#respond(request);
    const sent = hasBody(request.method, status) ? body : null;
    return new Response(sent as ConstructorParameters<typeof Response>[0], { status, headers });
  }

  /** Responds to a request of a connection. */
  readonly handleNode = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    try {
      const request = fromNode(req, res);
      send(await this.#respond(request), request.method, res);
    } catch {
      if (!res.headersSent) res.statusCode = 500;
      res.end();
    }
  };

  async #respond(request: IncomingRequest): Promise<HttpResponse> {
    const path = removeLastSlash(request.url.pathname);
    for (const routes of [this.#exact.get(path) ?? [], this.#withParameters, this.#prefixes]) {
      for (const { method, match, handler } of routes) {
        if (method !== null && method !== request.method) continue;
        const params = match(path);
        if (params !== null) return handler(Object.assign(request, { params }));
      }
    }
    throw new Error('No route accepts every request.');
  }
}

function removeLastSlash(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : path;
}

function hasBody(method: string, status: number): boolean {
  return method !== 'HEAD' && status !== 304;
}

function send({ status, headers, body }: HttpResponse, method: string, res: ServerResponse): void {
  if (body instanceof Object && 'getReader' in body) {
    res.writeHead(status, headers);
    void sendStream(body, res);
  } else if (hasBody(method, status)) {
    const bytes = body ?? '';
    res.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(bytes) }).end(bytes);
  } else res.writeHead(status, headers).end();
}

/** Reads the next part when the client has received the one before. */
async function sendStream(body: ReadableStream<Uint8Array>, res: ServerResponse): Promise<void> {
  const reader = body.getReader();
  let resume = () => {};
  const cancel = () => {
    reader.cancel().catch(() => {});
    resume();
  };
  if (res.destroyed) return cancel();
  res.on('close', cancel);
  res.on('error', cancel);
  res.on('drain', () => resume());
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || res.destroyed) break;
      if (res.write(value)) continue;
      await new Promise<void>((resolve) => {
        resume = resolve;
      });
    }
    res.end();
  } catch {
    // Without its end, the client knows that the response is incomplete.
    res.destroy();
  }
}
