/** Mounts a table of operations: a route for each, and an error for each other method and path. */
import type { H3, H3Event, HTTPResponse } from 'h3';
import { SvcError } from '../domain/errors.ts';
import { expandPath, type Operation } from '../operations/operation.ts';

/** @typeParam Served what `serve` creates for a request. */
interface MountOptions<Table extends Readonly<Record<string, Operation>>, Served> {
  /** Path in front of the paths of the table. */
  readonly prefix: string;
  readonly operations: Table;
  /** Creates the request and responds with the result of `respond`, or with the error that it throws. */
  readonly serve: (
    event: H3Event,
    respond: (request: Served) => HTTPResponse | Promise<HTTPResponse>,
  ) => Promise<HTTPResponse>;
  /** Performs one operation. */
  readonly perform: <Name extends keyof Table & string>(name: Name, request: Served) => Promise<HTTPResponse>;
  /** Responses to GET of paths that are not in the table. */
  readonly pages?: Readonly<Record<string, (request: Served) => HTTPResponse | Promise<HTTPResponse>>>;
  /** Whether another method of a path in the table is `method_not_allowed` instead of `not_found` (gap `error.codes`). */
  readonly respondsMethodNotAllowed: boolean;
}

export function mountOperations<Table extends Readonly<Record<string, Operation>>, Served>(
  app: H3,
  { prefix, operations, serve, perform, pages = {}, respondsMethodNotAllowed }: MountOptions<Table, Served>,
): void {
  const methods = new Map<string, string[]>();
  for (const [name, { method, path }] of Object.entries<Operation>(operations)) {
    const route = prefix + expandPath(path, (parameter) => `:${parameter}`);
    methods.set(route, [...(methods.get(route) ?? []), method]);
    app.on(method, route, (event) =>
      serve(event, (request) => perform(name as keyof Table & string, request)),
    );
  }
  for (const [path, respond] of Object.entries(pages)) {
    app.get(prefix + path, (event) => serve(event, respond));
  }
  for (const [route, allowed] of respondsMethodNotAllowed ? methods : []) {
    app.all(route, (event) => serve(event, () => rejectMethod(event, allowed)));
  }
  for (const route of [prefix, `${prefix}/**`]) {
    app.all(route, (event) => serve(event, () => rejectPath(event)));
  }
}

/** @throws SvcError `method_not_allowed` */
function rejectMethod({ req, url }: H3Event, allowed: readonly string[]): never {
  throw new SvcError(
    'method_not_allowed',
    `${url.pathname} does not accept ${req.method}, only ${new Intl.ListFormat('en').format(allowed)}.`,
    { headers: { Allow: allowed.join(', ') } },
  );
}

/** @throws SvcError `not_found` */
export function rejectPath({ req, url }: H3Event): never {
  throw new SvcError('not_found', `${req.method} ${url.pathname} does not exist.`);
}
