/** Sorts recorded exchanges into requests to the API of the service and attempts of deliveries. */
import * as v from 'valibot';
import { type Environment, getApiKeyEnvironment } from '../domain/credentials.ts';
import { isObject, tryParseJson } from '../domain/json.ts';
import { publicRoutes } from '../domain/public-routes.ts';
import type { Exchange } from './exchange.ts';

type OperationName = keyof typeof publicRoutes;
export type Fields = Readonly<Record<string, unknown>>;

const Text = v.fallback(v.string(), '');
/** The fields of an error. A service can lack some, and a success has none. */
const Failure = v.object({ code: Text, message: Text, request_id: Text });

export interface ApiRequest extends Exchange {
  /** Relative to the base address: `/events`. */
  readonly path: string;
  /** Null for a method or a path that is not described. */
  readonly operation: OperationName | null;
  /** The JSON of the body; undefined if it is not JSON. */
  readonly json: unknown;
  /** The fields of the body, and of the response. */
  readonly input: Fields;
  readonly result: Fields;
  /** The items of a page of events; none for any other response. */
  readonly items: readonly Fields[];
  /** The error of the response. */
  readonly failure: v.InferOutput<typeof Failure>;
  /** The environment in the prefix of the API key. */
  readonly environment: Environment | null;
}

interface NamedHeader {
  readonly name: string;
  readonly value: string;
}

export interface DeliveryAttempt extends Exchange {
  readonly id: string;
  readonly signature: NamedHeader | null;
  readonly timestamp: NamedHeader | null;
  /** The envelope; undefined if it is not JSON. */
  readonly json: unknown;
}

/** A recording. Everything is in the order of time. */
export interface Traffic {
  readonly requests: readonly ApiRequest[];
  readonly attempts: readonly DeliveryAttempt[];
}

/**
 * @param baseUrl base address of the API; default: each address that ends in `/v1` and responds as the description says
 * @param deliveriesTo start of the URLs that receive deliveries; default: recognized by their headers
 */
export function sortTraffic(
  exchanges: readonly Exchange[],
  { baseUrl, deliveriesTo }: { readonly baseUrl?: string; readonly deliveriesTo?: string } = {},
): Traffic {
  const isDelivery = ({ method, headers, url }: Exchange) => {
    if (method !== 'POST') return false;
    if (deliveriesTo !== undefined) return url.href.startsWith(deliveriesTo);
    return headers.has('service-signature') || headers.has('service-delivery-id');
  };
  const inOrder = exchanges.toSorted((a, b) => a.at - b.at);
  const others = inOrder.filter((exchange) => !isDelivery(exchange));
  const found = new Set(others.flatMap(findBase));
  const bases = baseUrl === undefined ? [...found] : [baseUrl.replace(/\/$/, '')];
  const requests = others.flatMap((exchange) => {
    const path = bases.map((base) => findPath(exchange.url, base)).find((each) => each !== null);
    return path == null ? [] : [toApiRequest(exchange, path)];
  });
  // Several files can contain the same attempt.
  const attempts = new Map(
    inOrder.filter(isDelivery).map((exchange, index) => {
      const attempt = toAttempt(exchange);
      const { id, at, dueAt } = attempt;
      return [id === '' ? index : `${id} ${at} ${dueAt}`, attempt];
    }),
  );
  return { requests, attempts: [...attempts.values()] };
}

const API_PATH = /^(.*\/v1)\/(?:events|webhooks|workspaces)(?:\/|$)/;
const SERVICE_KEY = /^Bearer +svc_(?:test|live)_/i;
/** An ID of the service in a JSON response. */
const SERVICE_ID = /"(?:id|request_id)"\s*:\s*"(?:evt|ws|wh|req)_/;

/** The base address of a request to the described service. Other APIs can have similar paths. */
function findBase({ url, headers, responseBody }: Exchange): string[] {
  const [, path] = API_PATH.exec(url.pathname) ?? [];
  const isOfService =
    SERVICE_KEY.test(headers.get('authorization') ?? '') || SERVICE_ID.test(responseBody.content.toString());
  return path !== undefined && isOfService ? [url.origin + path] : [];
}

/** The path below the base address, or with the version if it is another one, such as `/v2/events`. Null for another server. */
function findPath({ origin, pathname }: URL, base: string): string | null {
  const address = origin + pathname;
  if (address.startsWith(`${base}/`)) return address.slice(base.length);
  const root = base.replace(/\/v1$/, '');
  const path = address.slice(root.length);
  return root !== base && address.startsWith(root) && /^\/v\d+\//.test(path) ? path : null;
}

const routes = Object.entries(publicRoutes).map(([name, { method, path }]) => ({
  name: name as OperationName,
  method,
  pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
}));

function toApiRequest(exchange: Exchange, path: string): ApiRequest {
  const { method, headers, body, responseBody } = exchange;
  const json = tryParseJson(body.content.toString());
  const result = listFields(tryParseJson(responseBody.content.toString()));
  const route = routes.find((each) => each.method === method && each.pattern.test(path));
  const items = route?.name === 'listEvents' && isSuccess(exchange) ? result.data : [];
  const key = /^Bearer +(\S+)/i.exec(headers.get('authorization') ?? '')?.[1] ?? '';
  return {
    ...exchange,
    path,
    operation: route?.name ?? null,
    json,
    input: listFields(json),
    result,
    items: Array.isArray(items) ? items.map(listFields) : [],
    failure: v.parse(Failure, listFields(result.error)),
    environment: getApiKeyEnvironment(key),
  };
}

function toAttempt(exchange: Exchange): DeliveryAttempt {
  const find = (name: string, similar: RegExp): NamedHeader | null => {
    const headers = Array.from(exchange.headers, ([each, value]) => ({ name: each, value: value.trim() }));
    const exact = headers.find((header) => header.name === name);
    return exact ?? headers.find((header) => similar.test(header.name)) ?? null;
  };
  return {
    ...exchange,
    id: find('service-delivery-id', /(?:delivery|webhook|message|event)-id$/)?.value ?? '',
    signature: find('service-signature', /signature/),
    timestamp: find('service-timestamp', /timestamp/),
    json: tryParseJson(exchange.body.content.toString()),
  };
}

/** The fields of a JSON object; none for any other value. */
export function listFields(json: unknown): Fields {
  return isObject(json) ? json : {};
}

export function isSuccess({ status }: Pick<Exchange, 'status'>): boolean {
  return status >= 200 && status < 300;
}
