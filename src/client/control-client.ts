/**
 * The control plane of an emulator in another process. One function sends every operation of the table. Nothing here imports
 * Node.js, because the dashboard uses it in the browser.
 */

import { SvcError } from '../domain/errors.ts';
import { controlOperations } from '../operations/control-operations.ts';
import type { ControlMethods, ControlPlane } from '../operations/control-plane.ts';
import { EXPORT_TYPE } from '../operations/export-schemas.ts';
import {
  expandPath,
  isInputInQuery,
  type Operation,
  pathParameters,
  withQuery,
} from '../operations/operation.ts';
import { followStream, type StreamPosition } from './follow-stream.ts';
import { parseResponse } from './parse-response.ts';

export interface ControlRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal | undefined;
}

/** Sends requests. Both methods reject with the `SvcError` in the response, or `no_emulator` without a response. */
export interface ControlTransport {
  /** Resolves to the text of the response. */
  send(request: ControlRequest): Promise<string>;
  /** Resolves to the chunks of the response, as text. Rejects if its type is not that of the header `accept`. */
  open(request: ControlRequest): Promise<AsyncIterable<string>>;
}

export interface ControlClientOptions {
  /** URL of the control plane, such as `http://127.0.0.1:4777/_svc`. */
  readonly controlUrl: string;
  /** Called when the live stream has lost its connection, before it connects again. */
  readonly onDisconnect?: (() => void) | undefined;
  /** Called when the live stream is connected again. */
  readonly onReconnect?: (() => void) | undefined;
  /** Called with the position of the server when the live stream is connected. */
  readonly onReady?: ((position: StreamPosition) => void) | undefined;
}

/** The operations of the table, without the stream. */
export function createControlMethods(send: ControlTransport['send'], controlUrl: string): ControlMethods {
  const methods = Object.entries<Operation>(controlOperations).map(([name, operation]) => {
    /** The page polls: a response that has not changed is parsed and checked once. */
    let last = { text: '', value: undefined as unknown };
    const call = async (input: Input, signal?: AbortSignal) => {
      const request = toRequest(controlUrl, operation, input);
      const text = await send(signal === undefined ? request : { ...request, signal });
      if (text !== last.text || text === '')
        last = { text, value: parseResponse(operation.output, text, request.url.href) };
      return last.value;
    };
    return [name, call];
  });
  // The table of operations also defines the types of the methods.
  return Object.fromEntries(methods) as unknown as ControlMethods;
}

export function createControlClient(
  { send, open }: ControlTransport,
  { controlUrl, onDisconnect, onReconnect, onReady }: ControlClientOptions,
): ControlPlane {
  return {
    ...createControlMethods(send, controlUrl),
    async exportDeliveries(input, signal) {
      const url = withQuery(`${controlUrl}/deliveries/export`, input);
      const headers = { accept: EXPORT_TYPE };
      return readToEnd(await open({ method: 'GET', url, headers, signal }), url, signal);
    },
    stream(input, signal) {
      const { since, since_sequence, ...filter } = input;
      return followStream({
        address: `${controlUrl}/stream`,
        after: typeof since_sequence === 'string' ? Number(since_sequence) : since_sequence,
        startsInPast: since !== undefined,
        signal,
        onDisconnect,
        onReconnect,
        onReady,
        connect: (after, connectionSignal) =>
          open({
            method: 'GET',
            url: withQuery(`${controlUrl}/stream`, {
              ...filter,
              ...(after === undefined ? { since } : { since_sequence: after }),
            }),
            headers: {
              accept: 'text/event-stream',
              ...(after === undefined ? {} : { 'last-event-id': String(after) }),
            },
            signal: connectionSignal,
          }),
      });
    },
  };
}

/** Resolves to parts that end with a line. @throws SvcError if the connection is closed before the end. */
async function* readToEnd(
  chunks: AsyncIterable<string>,
  url: URL,
  signal?: AbortSignal,
): AsyncGenerator<string> {
  let rest = '';
  try {
    for await (const chunk of chunks) {
      const end = chunk.lastIndexOf('\n') + 1;
      if (end > 0) yield rest + chunk.slice(0, end);
      rest = (end > 0 ? '' : rest) + chunk.slice(end);
    }
  } catch (error) {
    if (signal?.aborted) throw new SvcError('interrupted', 'Interrupted.', { cause: error });
    throw new SvcError('no_emulator', `${url.origin} closed the connection before the file was complete.`, {
      hint: { text: 'Check the emulator', command: 'svc emulator status' },
      cause: error,
    });
  }
  if (rest !== '') yield rest;
}

type Input = Readonly<Record<string, unknown>>;

function toRequest(controlUrl: string, operation: Operation, input: Input): ControlRequest {
  const namesInPath = pathParameters(operation.path);
  const path = expandPath(operation.path, (name) => encodeURIComponent(String(input[name])));
  const fields = Object.fromEntries(Object.entries(input).filter(([name]) => !namesInPath.includes(name)));
  const { method } = operation;
  if (isInputInQuery(method)) return { method, url: withQuery(controlUrl + path, fields) };
  return {
    method,
    url: new URL(controlUrl + path),
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(fields),
  };
}
