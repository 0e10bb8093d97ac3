/** The control plane over HTTP: one function serves every operation of the table. */
import { type ControlInput, controlOperations } from '../contract/control-api.ts';
import { inputInQuery, type Operation, pathParameters } from '../contract/operation.ts';
import type { ControlCalls, ControlPlane } from './control-plane.ts';
import { type HttpRequest, openResponse, sendRequest } from './http-request.ts';
import { followStream } from './sse.ts';

export interface HttpControlOptions {
  /** Address of the control plane, such as `http://127.0.0.1:4777/_svc`. */
  readonly controlUrl: string;
  readonly token?: string | undefined;
  /** Certificates in PEM to trust beside the usual ones. */
  readonly ca?: string | undefined;
  /** Aborts every request under way. */
  readonly signal?: AbortSignal | undefined;
  /** Called when the live stream lost its connection and is about to connect again. */
  readonly onLost?: (() => void) | undefined;
  /** Called when it has its connection again. */
  readonly onBack?: (() => void) | undefined;
}

/** Every call rejects with the `SvcError` that the server describes, or `no_emulator` when none answers. */
export function createHttpControlPlane(options: HttpControlOptions): ControlPlane {
  const headers: Record<string, string> = options.token ? { authorization: `Bearer ${options.token}` } : {};

  async function call(operation: Operation, input: Input): Promise<unknown> {
    const request = toRequest(options.controlUrl, operation, input);
    const { text } = await sendRequest({
      ...request,
      // A connection that is kept would keep an emulator from stopping while somebody asks whether it has stopped.
      headers: { ...headers, ...request.headers, connection: 'close' },
      ca: options.ca,
      signal: options.signal,
    });
    return JSON.parse(text);
  }

  const calls = Object.fromEntries(
    Object.entries<Operation>(controlOperations).map(([name, operation]) => [
      name,
      (input: Input) => call(operation, input),
    ]),
  );
  return {
    // What comes back is of the operation's output type because the server validates by the same table.
    ...(calls as unknown as ControlCalls),
    stream(input, signal) {
      const { since, since_sequence, ...filter } = input;
      return followStream({
        after: typeof since_sequence === 'string' ? Number(since_sequence) : since_sequence,
        startsInPast: since !== undefined,
        signal,
        onLost: options.onLost,
        onBack: options.onBack,
        connect: (after, signal) =>
          openResponse({
            method: 'GET',
            url: withQuery(`${options.controlUrl}/events`, {
              ...filter,
              ...(after === undefined ? { since } : { since_sequence: after }),
            }),
            headers: {
              ...headers,
              accept: 'text/event-stream',
              ...(after === undefined ? {} : { 'last-event-id': String(after) }),
            },
            ca: options.ca,
            signal,
          }),
      });
    },
  };
}

type Input = Readonly<Record<string, unknown>>;
type EveryInput = ControlInput<keyof typeof controlOperations>;

function toRequest(
  controlUrl: string,
  operation: Operation,
  input: Input & Partial<EveryInput>,
): HttpRequest {
  const inPath = pathParameters(operation.path);
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(input[name])),
  );
  const rest = Object.fromEntries(Object.entries(input).filter(([name]) => !inPath.includes(name)));
  const { method } = operation;
  if (inputInQuery(method)) return { method, url: withQuery(controlUrl + path, rest) };
  return {
    method,
    url: new URL(controlUrl + path),
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(rest),
  };
}

/** The address with every member that is not undefined in its query. */
function withQuery(address: string, query: Input): URL {
  const url = new URL(address);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  return url;
}
