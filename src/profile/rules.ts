/** What the gap register resolves to: plain values that the rest of the program reads. No profile name is looked at after this. */
import type { RetryPolicy } from '../domain/retry-policy.ts';
import type { SignatureScheme } from '../domain/signature/scheme.ts';

export const profileNames = ['relaxed', 'strict'] as const;
export type ProfileName = (typeof profileNames)[number];

export interface Rules {
  readonly profile: ProfileName;
  /** `signature.*`: how deliveries are signed. */
  readonly signature: SignatureScheme;
  readonly signatureToleranceMs: number;
  /** `event.body`: the member of `POST /events` that carries the payload. */
  readonly payloadMember: 'payload' | 'data';
  /** `event.catalogue` */
  readonly eventCatalogue: 'open' | 'closed';
  /** `webhook.url`: `local` takes HTTPS anywhere and HTTP to loopback and private addresses, `public` only public HTTPS. */
  readonly webhookUrl: 'local' | 'public';
  /** `webhook.wildcard` */
  readonly wildcard: 'accepted' | 'rejected_in_production' | 'rejected';
  readonly delivery: {
    readonly connectTimeoutMs: number;
    readonly attemptTimeoutMs: number;
    /** Bytes of the receiver's answer that are kept. */
    readonly responseLimitBytes: number;
    /** Attempts under way at once, for one endpoint and for all. */
    readonly concurrencyPerEndpoint: number;
    readonly concurrency: number;
  };
  readonly retry: RetryPolicy;
  /** `replay.failed`: what becomes of a succeeded delivery. */
  readonly replayFailure: 'keeps_success' | 'fails';
  readonly idempotency: {
    /** What an idempotency key is unique within. */
    readonly scope: 'api_key_method_path' | 'api_key';
    readonly retentionMs: number;
  };
  readonly list: {
    /** Query parameter that names the workspace. */
    readonly workspaceParameter: 'workspace_id' | 'workspace';
    readonly defaultLimit: number;
    readonly maxLimit: number;
  };
  /** `key.scopes`: whether reads need the read scopes. */
  readonly readScopes: 'required' | 'not_required';
  /** `rate.limit`: null is off. */
  readonly rateLimit: { readonly perSecond: number; readonly burst: number } | null;
  readonly bodyLimitBytes: number;
}
