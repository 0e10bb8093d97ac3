/** Requests over `node:http` that connect only where deliveries may go. */
import { type ClientRequest, type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import type { WebhookUrlRule } from '../domain/webhook-url.ts';
import { BlockedError, findBlockReason } from './address-policy.ts';
import { createPolicyLookup, type Lookup } from './policy-lookup.ts';

export interface PolicyRequestOptions extends Pick<RequestOptions, 'method' | 'headers' | 'signal'> {
  readonly rule: WebhookUrlRule;
  /** Certificate authorities in PEM; the usual ones if undefined. */
  readonly ca?: string[] | undefined;
  /** How host names are resolved; the system's way if undefined. */
  readonly lookup?: Lookup | undefined;
}

/** Starts a request on a connection of its own. Redirects are not followed. @throws BlockedError for a refused address. */
export function startPolicyRequest(
  address: string,
  { rule, lookup, ca, ...options }: PolicyRequestOptions,
): ClientRequest {
  const url = new URL(address);
  const { protocol } = url;
  const port = Number(url.port) || (protocol === 'https:' ? 443 : 80);
  const policy = { rule, isOwnAddress: () => false };
  const refusalOf = (address: string) => findBlockReason(policy, { protocol, address, port });
  // Node looks up names only.
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const refusal = isIP(host) === 0 ? null : refusalOf(host);
  if (refusal !== null) throw new BlockedError(refusal);
  const start = protocol === 'https:' ? requestHttps : requestHttp;
  return start(url, {
    ...options,
    ...(ca && { ca }),
    agent: false,
    lookup: createPolicyLookup(refusalOf, lookup),
  });
}
