/** Sends `node:http` requests that connect only where deliveries may go. */
import { type ClientRequest, type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import { stripBrackets } from '../domain/host-name.ts';
import type { WebhookUrlRule } from '../domain/webhook-url.ts';
import { BlockedError, createPolicyLookup, findBlockReason, type Lookup } from './address-policy.ts';

export interface PolicyRequestOptions extends Pick<RequestOptions, 'method' | 'headers' | 'signal'> {
  readonly rule: WebhookUrlRule;
  /** Certificate authorities in PEM; the built-in ones if undefined. */
  readonly ca?: string[] | undefined;
  /** Resolves host names; the system resolver if undefined. */
  readonly lookup?: Lookup | undefined;
}

/** Starts a request on its own connection. Redirects are not followed. @throws BlockedError for a blocked IP address */
export function startPolicyRequest(
  address: string,
  { rule, lookup, ca, ...options }: PolicyRequestOptions,
): ClientRequest {
  const url = new URL(address);
  const { protocol } = url;
  const port = Number(url.port) || (protocol === 'https:' ? 443 : 80);
  const policy = { rule, isOwnAddress: () => false };
  const findReason = (address: string) => findBlockReason(policy, { protocol, address, port });
  // Node.js calls the lookup for names only: check an IP address in the URL here.
  const host = stripBrackets(url.hostname);
  const blockReason = isIP(host) === 0 ? null : findReason(host);
  if (blockReason !== null) throw new BlockedError(blockReason);
  const start = protocol === 'https:' ? requestHttps : requestHttp;
  return start(url, {
    ...options,
    ...(ca && { ca }),
    agent: false,
    lookup: createPolicyLookup(findReason, lookup),
  });
}
