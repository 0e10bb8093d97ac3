/** Recorded HTTP exchanges, sorted into requests to the API of the service and attempts of deliveries. */
import { publicRoutes } from '../contract/public-routes.ts';
import { type Environment, getApiKeyEnvironment, type Scope } from '../domain/credentials.ts';
import { isObject } from '../domain/json.ts';

/** By name in lower case. */
export type RecordedHeaders = ReadonlyMap<string, string>;

export interface RecordedBody {
  readonly content: string | Buffer;
  /** False if the recording may have shortened or converted it. */
  readonly isComplete: boolean;
  /** Size of what was sent; null if it is not known. */
  readonly bytes: number | null;
}

export interface Exchange {
  readonly file: string;
  /** Where it is in the file: `entry 3`, `line 12, attempt 2`. */
  readonly entry: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly durationMs: number | null;
  readonly method: string;
  readonly url: URL;
  readonly headers: RecordedHeaders;
  readonly body: RecordedBody;
  /** 0 without a response. */
  readonly status: number;
  readonly responseHeaders: RecordedHeaders;
  readonly responseBody: RecordedBody;
  /** Why there is no response, as the recording describes it. */
  readonly error: string;
  /** What only exports of svc contain. */
  readonly attempt: { readonly dueAt: number; readonly isManual: boolean } | null;
  /** Scopes of the API key, if they are known. Only `svc gaps record` writes them. */
  readonly keyScopes: readonly Scope[] | null;
}

export type OperationName = keyof typeof publicRoutes;

export interface ApiRequest extends Exchange {
  /** Relative to the base address: `/events`. */
  readonly path: string;
  /** Null for a method or a path that is not described. */
  readonly operation: OperationName | null;
  readonly query: URLSearchParams;
  /** The JSON of the body; undefined if it is not JSON. */
  readonly json: unknown;
  readonly responseJson: unknown;
  /** The error of the response; null if it has none. */
  readonly failure: { readonly code: string; readonly message: string; readonly requestId: string } | null;
  /** The environment in the prefix of the API key. */
  readonly environment: Environment | null;
}

export interface DeliveryAttempt extends Exchange {
  readonly id: string;
  readonly signature: { readonly name: string; readonly value: string } | null;
  readonly timestamp: { readonly name: string; readonly value: string } | null;
  /** The envelope; undefined if it is not JSON. */
  readonly json: unknown;
}

/** A recording. Everything is in the order of time. */
export interface Traffic {
  readonly requests: readonly ApiRequest[];
  readonly attempts: readonly DeliveryAttempt[];
  /** Number of exchanges with other servers. */
  readonly otherCount: number;
}

export interface SortOptions {
  /** Base address of the API; default: each address that ends in `/v1` and responds as the description says. */
  readonly baseUrl: string | null;
  /** Start of the URLs that receive deliveries; default: recognized by their headers. */
  readonly deliveriesTo: string | null;
}

export function sortTraffic(exchanges: readonly Exchange[], options: SortOptions): Traffic {
  const inOrder = exchanges.toSorted((a, b) => a.at - b.at);
  const attempts = inOrder.filter((exchange) => isDelivery(exchange, options));
  const others = inOrder.filter((exchange) => !isDelivery(exchange, options));
  const bases = new Set(
    options.baseUrl === null
      ? others.filter(isOfService).map(findBase)
      : [options.baseUrl.replace(/\/$/, '')],
  );
  const requests = others.flatMap((exchange) => {
    const base = [...bases].find((each) => each !== null && isBelow(exchange.url.href, each));
    return base ? [toApiRequest(exchange, base)] : [];
  });
  return {
    requests,
    attempts: removeRepeated(attempts.map(toAttempt)),
    otherCount: others.length - requests.length,
  };
}

function isDelivery({ method, headers, url }: Exchange, { deliveriesTo }: SortOptions): boolean {
  if (method !== 'POST') return false;
  if (deliveriesTo !== null) return url.href.startsWith(deliveriesTo);
  return headers.has('service-signature') || headers.has('service-delivery-id');
}

const API_PATH = /^(.*\/v1)\/(?:events|webhooks|workspaces)(?:\/|$)/;

function findBase({ url }: Exchange): string | null {
  const [, path] = API_PATH.exec(url.pathname) ?? [];
  return path === undefined ? null : url.origin + path;
}

const SERVICE_KEY = /^Bearer +svc_(?:test|live)_/i;
/** An ID of the service in a JSON response. */
const SERVICE_ID = /"(?:id|request_id)"\s*:\s*"(?:evt|ws|wh|req)_/;

/** Whether it is a request to the described service, and not to another API with similar paths. */
function isOfService(exchange: Exchange): boolean {
  if (findBase(exchange) === null) return false;
  const isKey = SERVICE_KEY.test(exchange.headers.get('authorization') ?? '');
  return isKey || SERVICE_ID.test(exchange.responseBody.content.toString());
}

/** Another version, such as `/v2`, is a request to the service too. */
function isBelow(href: string, base: string): boolean {
  const root = base.replace(/\/v\d+$/, '/v');
  return (
    href.startsWith(`${base}/`) ||
    (root !== base && /^\d+\//.test(href.slice(root.length)) && href.startsWith(root))
  );
}

const routes = Object.entries(publicRoutes).map(([name, { method, path }]) => ({
  name: name as OperationName,
  method,
  pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
}));

function toApiRequest(exchange: Exchange, base: string): ApiRequest {
  const { url, method, headers, body, responseBody } = exchange;
  const address = url.origin + url.pathname;
  const path = address.startsWith(`${base}/`)
    ? address.slice(base.length)
    : address.slice(base.lastIndexOf('/'));
  const responseJson = parseJson(responseBody);
  const key = /^Bearer +(\S+)/i.exec(headers.get('authorization') ?? '')?.[1] ?? '';
  return {
    ...exchange,
    path,
    operation: routes.find((route) => route.method === method && route.pattern.test(path))?.name ?? null,
    query: url.searchParams,
    json: parseJson(body),
    responseJson,
    failure: findFailure(responseJson),
    environment: getApiKeyEnvironment(key),
  };
}

function findFailure(json: unknown): ApiRequest['failure'] {
  const { error } = Object(json);
  if (!isObject(error)) return null;
  const toText = (value: unknown) => (typeof value === 'string' ? value : '');
  return { code: toText(error.code), message: toText(error.message), requestId: toText(error.request_id) };
}

function toAttempt(exchange: Exchange): DeliveryAttempt {
  const find = (name: string, similar: RegExp) => {
    const names = [...exchange.headers.keys()];
    const found = names.includes(name) ? name : names.find((each) => similar.test(each));
    return found === undefined ? null : { name: found, value: (exchange.headers.get(found) ?? '').trim() };
  };
  return {
    ...exchange,
    id: find('service-delivery-id', /(?:delivery|webhook|message|event)-id$/)?.value ?? '',
    signature: find('service-signature', /signature/),
    timestamp: find('service-timestamp', /timestamp/),
    json: parseJson(exchange.body),
  };
}

/** Several files can contain the same attempt. In one file, attempts within a second can have the same signature. */
function removeRepeated(attempts: readonly DeliveryAttempt[]): DeliveryAttempt[] {
  const files = new Map<string, string>();
  return attempts.filter(({ id, signature, timestamp, at, file }) => {
    if (id === '' || signature === null) return true;
    const key = [id, signature.value, timestamp?.value ?? at].join('\n');
    if (!files.has(key)) files.set(key, file);
    return files.get(key) === file;
  });
}

function parseJson({ content }: RecordedBody): unknown {
  try {
    return JSON.parse(content.toString());
  } catch {
    return undefined;
  }
}

/** The fields of a JSON object; none for any other value. */
export function listFields(json: unknown): Readonly<Record<string, unknown>> {
  return isObject(json) ? (json as Record<string, unknown>) : {};
}

export function isSuccess({ status }: Pick<Exchange, 'status'>): boolean {
  return status >= 200 && status < 300;
}
