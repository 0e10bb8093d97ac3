/** The plain values that the gap register resolves to. The rest of the program reads only these. */
import type { RetryPolicy } from '../domain/retry-policy.ts';
import type { SignatureScheme } from '../domain/signature/scheme.ts';

export const profileNames = ['relaxed', 'strict'] as const;
export type ProfileName = (typeof profileNames)[number];

export interface Rules {
  readonly profile: ProfileName;
  /** `signature.*`: how deliveries are signed. */
  readonly signature: SignatureScheme;
  readonly signatureToleranceMs: number;
  /** `event.body`: the field of `POST /events` that carries the payload. */
  readonly payloadMember: 'payload' | 'data';
  /** `event.catalogue` */
  readonly eventCatalogue: 'open' | 'closed';
  /** `webhook.url`: `local` accepts HTTPS to any address and HTTP to loopback and private addresses, `public` only public HTTPS. */
  readonly webhookUrl: 'local' | 'public';
  /** `webhook.wildcard` */
  readonly wildcard: 'accepted' | 'rejected_in_production' | 'rejected';
  readonly delivery: {
    readonly connectTimeoutMs: number;
    readonly attemptTimeoutMs: number;
    /** Bytes of the receiver's response that are stored. */
    readonly responseLimitBytes: number;
    /** Maximum number of attempts in flight, for one endpoint and in total. */
    readonly concurrencyPerEndpoint: number;
    readonly concurrency: number;
  };
  readonly retry: RetryPolicy;
  /** `replay.failed`: the effect on a succeeded delivery. */
  readonly replayFailure: 'keeps_success' | 'fails';
  readonly idempotency: {
    /** The scope in which an idempotency key is unique. */
    readonly scope: 'api_key_method_path' | 'api_key';
    readonly retentionMs: number;
  };
  readonly list: {
    /** Query parameter that selects the workspace. */
    readonly workspaceParameter: 'workspace_id' | 'workspace';
    readonly defaultLimit: number;
    readonly maxLimit: number;
  };
  /** `key.scopes`: whether reads require the read scopes. */
  readonly readScopes: 'required' | 'not_required';
  /** `rate.limit`: null disables it. */
  readonly rateLimit: { readonly perSecond: number; readonly burst: number } | null;
  readonly bodyLimitBytes: number;
}
