/** Mounts a table of operations: a route for each, and an error for each other method and path. */

import { expandPath, type Operation } from '../contract/operation.ts';
import { SvcError } from '../errors.ts';
import type { IncomingRequest } from './incoming-request.ts';
import type { HttpResponse } from './responses.ts';
import type { Router } from './router.ts';

/** @typeParam Served what `serve` creates for a request. */
interface MountOptions<Table extends Readonly<Record<string, Operation>>, Served> {
  /** Path in front of the paths of the table. */
  readonly prefix: string;
  readonly operations: Table;
  /** Creates the request and responds with the result of `respond`, or with the error that it throws. */
  readonly serve: (
    incoming: IncomingRequest,
    respond: (request: Served) => HttpResponse | Promise<HttpResponse>,
  ) => Promise<HttpResponse>;
  /** Performs one operation. */
  readonly perform: <Name extends keyof Table & string>(name: Name, request: Served) => Promise<HttpResponse>;
  /** Responses to GET of paths that are not in the table. */
  readonly pages?: Readonly<Record<string, (request: Served) => HttpResponse | Promise<HttpResponse>>>;
  /** Whether another method of a path in the table is `method_not_allowed` instead of `not_found` (gap `error.codes`). */
  readonly respondsMethodNotAllowed: boolean;
}

export function mountOperations<Table extends Readonly<Record<string, Operation>>, Served>(
  app: Router,
  { prefix, operations, serve, perform, pages = {}, respondsMethodNotAllowed }: MountOptions<Table, Served>,
): void {
  const methods = new Map<string, string[]>();
  for (const [name, { method, path }] of Object.entries<Operation>(operations)) {
    const route = prefix + expandPath(path, (parameter) => `:${parameter}`);
    methods.set(route, [...(methods.get(route) ?? []), method]);
    app.on(method, route, (incoming) =>
      serve(incoming, (request) => perform(name as keyof Table & string, request)),
    );
  }
  for (const [path, respond] of Object.entries(pages)) {
    app.on('GET', prefix + path, (incoming) => serve(incoming, respond));
  }
  for (const [route, allowed] of respondsMethodNotAllowed ? methods : []) {
    app.on(null, route, (incoming) => serve(incoming, () => rejectMethod(incoming, allowed)));
  }
  for (const route of [prefix, `${prefix}/**`]) {
    app.on(null, route, (incoming) => serve(incoming, () => rejectPath(incoming)));
  }
}

function rejectMethod({ method, url }: IncomingRequest, allowed: readonly string[]): never {
  throw new SvcError(
    'method_not_allowed',
    `${url.pathname} does not accept ${method}, only ${new Intl.ListFormat('en').format(allowed)}.`,
    { headers: { Allow: allowed.join(', ') } },
  );
}

/** @throws SvcError `not_found` */
export function rejectPath({ method, url }: IncomingRequest): never {
  throw new SvcError('not_found', `${method} ${url.pathname} does not exist.`);
}
