/** Sends HTTP requests with `node:http`, because the global `fetch` starts slowly, and connects to the control plane with them. */
import {
  Agent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestOptions,
  request,
} from 'node:http';
import { Agent as HttpsAgent, request as requestOverTls } from 'node:https';
import { createSecureContext, rootCertificates } from 'node:tls';
import { type Hint, SvcError } from '../domain/errors.ts';
import type { ControlPlane } from '../operations/control-plane.ts';
import { type ControlClientOptions, type ControlRequest, createControlClient } from './control-client.ts';
import { createWrongServerError, isSuccess, RESPONSE_LIMIT_BYTES, toServerError } from './parse-response.ts';

export interface HttpRequest extends ControlRequest {
  /** Additional certificates to trust for HTTPS, in PEM. */
  readonly ca?: string | undefined;
  /** The hint of the error if nothing responds. */
  readonly noResponseHint?: Hint | string | undefined;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

interface HttpControlClientOptions
  extends ControlClientOptions,
    Pick<HttpRequest, 'ca' | 'noResponseHint' | 'signal'> {
  readonly token?: string | undefined;
}

export function createHttpControlClient({
  token,
  ca,
  noResponseHint,
  signal,
  ...options
}: HttpControlClientOptions): ControlPlane {
  const toHttpRequest = (request: ControlRequest) => ({
    signal,
    ca,
    noResponseHint,
    ...request,
    headers: { ...(token ? { authorization: `Bearer ${token}` } : {}), ...request.headers },
  });
  return createControlClient(
    {
      async send(request) {
        const { headers, ...rest } = toHttpRequest(request);
        // A connection that stays open would delay the stop of an emulator that is polled until it has stopped.
        const response = await sendRequest({ ...rest, headers: { ...headers, connection: 'close' } });
        if (!isSuccess(response.status)) throw toServerError(response, request.url.href);
        return response.text;
      },
      async open(request) {
        const response = await openResponse(toHttpRequest(request));
        const type = request.headers?.accept ?? '';
        if (response.headers['content-type']?.startsWith(type)) return response.setEncoding('utf8');
        response.destroy();
        throw createWrongServerError(request.url.href, `the response is not ${type}`);
      },
    },
    options,
  );
}

/**
 * Sends a request and reads the whole response, with any status.
 * @throws SvcError `no_emulator` without a valid response; `interrupted` when the signal is aborted.
 */
export async function sendRequest(request: HttpRequest): Promise<HttpResponse> {
  try {
    return await readResponse(await startRequest(request), request.url);
  } catch (error) {
    throw toTransportError(error, request);
  }
}

/** Does not read the body of a 2xx response, for streams. @throws SvcError as {@link sendRequest}, and of a response that is not 2xx */
async function openResponse(request: HttpRequest): Promise<IncomingMessage> {
  try {
    const response = await startRequest(request);
    if (isSuccess(response.statusCode ?? 0)) return response;
    throw toServerError(await readResponse(response, request.url), request.url.href);
  } catch (error) {
    throw toTransportError(error, request);
  }
}

async function startRequest({
  url,
  method,
  headers,
  body,
  signal,
  ca,
}: HttpRequest): Promise<IncomingMessage> {
  const requestFunction = url.protocol === 'https:' ? createSecureRequest(ca) : requestPlainly;
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    requestFunction(url, { method, headers: { ...headers, ...length }, ...(signal && { signal }) })
      .once('response', resolve)
      .once('error', reject)
      .end(body);
  });
}

type RequestFunction = (url: URL, options: RequestOptions) => ClientRequest;

/** Own agents, because those of Node.js use a proxy if `NODE_USE_ENV_PROXY` is set. Idle connections close after 5 s, as theirs. */
const AGENT_OPTIONS = { keepAlive: true, scheduling: 'lifo', timeout: 5_000 } as const;

const plainAgent = new Agent(AGENT_OPTIONS);
/** By `ca`. They are reused, because parsing the root certificates takes tens of milliseconds. */
const httpsAgents = new Map<string | undefined, HttpsAgent>();

const requestPlainly: RequestFunction = (url, options) => request(url, { ...options, agent: plainAgent });

function createSecureRequest(ca: string | undefined): RequestFunction {
  let agent = httpsAgents.get(ca);
  if (agent === undefined) {
    const secureContext =
      ca === undefined ? undefined : createSecureContext({ ca: [...rootCertificates, ca] });
    agent = new HttpsAgent({ ...AGENT_OPTIONS, ...(secureContext && { secureContext }) });
    httpsAgents.set(ca, agent);
  }
  return (url, options) => requestOverTls(url, { ...options, agent });
}

async function readResponse(response: IncomingMessage, url: URL): Promise<HttpResponse> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    // The end of the loop closes the connection.
    if (length > RESPONSE_LIMIT_BYTES) throw createWrongServerError(url.href, 'the response is too large');
  }
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: Buffer.concat(chunks).toString('utf8'),
  };
}

/** Error codes of OpenSSL for certificates, and of a certificate for another host. */
const CERTIFICATE_PROBLEM = /CERT|_VERIFY_/;

function toTransportError(error: unknown, { url, signal, noResponseHint }: HttpRequest): SvcError {
  if (error instanceof SvcError) return error;
  if (signal?.aborted) return new SvcError('interrupted', 'Interrupted.', { cause: error });
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== undefined && CERTIFICATE_PROBLEM.test(code)) {
    return new SvcError('no_emulator', `The certificate of ${url.origin} is not trusted: ${message}.`, {
      hint: 'Set SVC_CA to the PEM file of the certificate, or of the authority that issued it.',
      cause: error,
    });
  }
  return new SvcError('no_emulator', `No response from ${url.origin} (${code ?? message}).`, {
    hint: noResponseHint,
    cause: error,
  });
}
