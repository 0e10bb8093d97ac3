/** Sorts recorded exchanges into requests to the API of the service and attempts of deliveries. */
import { tryParseJson } from '../domain/json.ts';
import { publicRoutes } from '../domain/public-routes.ts';
import { type Exchange, type Fields, toArray, toFields, toText } from './read-recording.ts';

type OperationName = keyof typeof publicRoutes;

/** A request, with the response of the service or of an emulator. */
export interface ApiRequest extends Exchange {
  /** Relative to the base address: `/events`. Another version is a part of it: `/v2/events`. */
  readonly path: string;
  /** Null for a method or a path that is not described. */
  readonly operation: OperationName | null;
  /** The fields of the body, and of the response. */
  readonly input: Fields;
  readonly result: Fields;
  /** The error of the response. A service can lack some fields, and a success has none. */
  readonly failure: Readonly<Record<'code' | 'message' | 'requestId', string>>;
  /** The items of a page of events; none for any other response. */
  readonly items: readonly Fields[];
}

export interface DeliveryAttempt extends Exchange {
  /** Values of the headers; empty for a missing one. */
  readonly id: string;
  readonly signature: string;
  readonly timestamp: string;
}

export type SortedRecording = ReturnType<typeof sortRecording>;

/**
 * Everything is in the order of time.
 * @param baseUrl base address of the API; default: each address that ends in `/v1` and responds as the description says
 * @param deliveriesTo start of the URLs that receive deliveries; default: recognized by their headers
 */
export function sortRecording(
  exchanges: readonly Exchange[],
  { baseUrl, deliveriesTo }: { readonly baseUrl?: string; readonly deliveriesTo?: string } = {},
) {
  const isDelivery = ({ method, headers, url }: Exchange) => {
    // A delivery that was not attempted yet has no headers.
    if (method !== 'POST' || headers.size === 0) return false;
    if (deliveriesTo !== undefined) return url.href.startsWith(deliveriesTo);
    return headers.has('service-signature') || headers.has('service-delivery-id');
  };
  const inOrder = exchanges.toSorted((a, b) => a.at - b.at);
  const others = inOrder.filter((exchange) => !isDelivery(exchange));
  const bases = new Set(baseUrl === undefined ? others.flatMap(findBase) : [baseUrl.replace(/\/$/, '')]);
  const requests = others.flatMap((exchange) => {
    const [path] = [...bases].flatMap((base) => findPath(exchange.url, base) ?? []);
    return path === undefined ? [] : [toApiRequest(exchange, path)];
  });
  const attempts = inOrder.filter(isDelivery).map(toAttempt);
  // Several files can contain the same attempt.
  const toKey = ({ id, signature, at, dueAt }: DeliveryAttempt) => `${id} ${signature} ${at} ${dueAt}`;
  return { requests, attempts: [...new Map(attempts.map((each) => [toKey(each), each])).values()] };
}

const API_PATH = /^(.*\/v1)\/(?:events|webhooks|workspaces)(?:\/|$)/;
const SERVICE_KEY = /^Bearer +svc_(?:test|live)_/i;
/** An ID of the service in a JSON response. */
const SERVICE_ID = /"(?:id|request_id)"\s*:\s*"(?:evt|ws|wh|req)_/;

/** The base address of a request to the described service. Other APIs can have similar paths. */
function findBase({ url, headers, responseText }: Exchange): string[] {
  const [, path] = API_PATH.exec(url.pathname) ?? [];
  const isOfService = SERVICE_KEY.test(headers.get('authorization') ?? '') || SERVICE_ID.test(responseText);
  return path !== undefined && isOfService ? [url.origin + path] : [];
}

/** The path below the base address, or with the version if it is another one. Null for another server. */
function findPath({ origin, pathname }: URL, base: string): string | null {
  const address = origin + pathname;
  if (address.startsWith(`${base}/`)) return address.slice(base.length);
  const root = base.replace(/v1$/, '');
  const path = address.startsWith(root) ? address.slice(root.length - 1) : '';
  return /^\/v\d+\//.test(path) ? path : null;
}

const routes = Object.entries(publicRoutes).map(([name, { method, path }]) => ({
  name: name as OperationName,
  method,
  pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
}));

/** @param path as in {@link ApiRequest} */
export function toApiRequest(exchange: Exchange, path: string): ApiRequest {
  const { method, body, responseText } = exchange;
  const result = toFields(tryParseJson(responseText));
  const operation = routes.find((each) => each.method === method && each.pattern.test(path))?.name ?? null;
  const items = operation === 'listEvents' && isSuccess(exchange) ? toArray(result.data) : [];
  const { code, message, request_id: requestId } = toFields(result.error);
  return {
    ...exchange,
    path,
    operation,
    input: toFields(tryParseJson(body.toString())),
    result,
    failure: { code: toText(code), message: toText(message), requestId: toText(requestId) },
    items: items.map(toFields),
  };
}

function toAttempt(exchange: Exchange): DeliveryAttempt {
  const find = (exact: string, similar: RegExp) => {
    const [other] = [...exchange.headers].filter(([name]) => similar.test(name));
    return (exchange.headers.get(exact) ?? other?.[1] ?? '').trim();
  };
  return {
    ...exchange,
    id: find('service-delivery-id', /(?:delivery|webhook|message|event)-id$/),
    signature: find('service-signature', /signature/),
    timestamp: find('service-timestamp', /timestamp/),
  };
}

export function isSuccess({ status }: Pick<Exchange, 'status'>): boolean {
  return status >= 200 && status < 300;
}
