/**
 * The control plane of an emulator elsewhere: one function speaks every operation of the table. It imports nothing of
 * Node.js, because the dashboard speaks it from a browser.
 */
import { type ControlInput, controlOperations } from '../contract/control-api.ts';
import { inputInQuery, type Operation, pathParameters } from '../contract/operation.ts';
import { readResponse } from './checked-response.ts';
import type { ControlCalls, ControlPlane } from './control-plane.ts';
import { followStream } from './sse.ts';

export interface RemoteRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal | undefined;
}

/** How requests travel. Both reject with the `SvcError` that the server describes, or `no_emulator` when none answers. */
export interface Transport {
  /** Resolves to the text of the answer. */
  send(request: RemoteRequest): Promise<string>;
  /** Resolves to the text of the answer as it comes in. */
  open(request: RemoteRequest): Promise<AsyncIterable<string>>;
}

export interface RemoteOptions {
  /** Address of the control plane, such as `http://127.0.0.1:4777/_svc`. */
  readonly controlUrl: string;
  /** Called when the live stream lost its connection and is about to connect again. */
  readonly onLost?: (() => void) | undefined;
  /** Called when it has its connection again. */
  readonly onBack?: (() => void) | undefined;
}

export function createRemoteControlPlane(
  { send, open }: Transport,
  { controlUrl, onLost, onBack }: RemoteOptions,
): ControlPlane {
  const calls = Object.fromEntries(
    Object.entries<Operation>(controlOperations).map(([name, operation]) => [
      name,
      async (input: Input) => {
        const request = toRequest(controlUrl, operation, input);
        return readResponse(operation.output, await send(request), request.url.href);
      },
    ]),
  );
  return {
    ...(calls as unknown as ControlCalls),
    stream(input, signal) {
      const { since, since_sequence, ...filter } = input;
      return followStream({
        address: `${controlUrl}/events`,
        after: typeof since_sequence === 'string' ? Number(since_sequence) : since_sequence,
        startsInPast: since !== undefined,
        signal,
        onLost,
        onBack,
        connect: (after, signal) =>
          open({
            method: 'GET',
            url: withQuery(`${controlUrl}/events`, {
              ...filter,
              ...(after === undefined ? { since } : { since_sequence: after }),
            }),
            headers: {
              accept: 'text/event-stream',
              ...(after === undefined ? {} : { 'last-event-id': String(after) }),
            },
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
): RemoteRequest {
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
