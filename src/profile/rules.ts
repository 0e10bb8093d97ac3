/** The rules of an emulator: the gap register as plain values, with the profile and its overrides applied. */
import type { RetryPolicy } from '../domain/retry-policy.ts';
import type { WebhookUrlRule } from '../domain/webhook-url.ts';
import type { SignatureScheme } from '../signature/scheme.ts';

export const profileNames = ['relaxed', 'strict'] as const;
export type ProfileName = (typeof profileNames)[number];

/** A comment starts with the gaps that a value comes from. docs/gaps.md explains them. */
export interface Rules {
  /** For display only: the other values follow from it. */
  readonly profile: ProfileName;
  /** `signature.*`: how deliveries are signed. */
  readonly signature: SignatureScheme;
  /** `signature.tolerance` */
  readonly signatureToleranceMs: number;
  /** `event.body`: the field of `POST /events` that carries the payload. */
  readonly payloadField: 'payload' | 'data';
  /** `event.catalog`: `open` accepts every event type, `closed` only those with a built-in fixture. */
  readonly eventCatalog: 'open' | 'closed';
  /** `webhook.limit`: maximum number of endpoints in a workspace. */
  readonly webhookLimit: number;
  /** `webhook.url`: which URLs an endpoint can have. */
  readonly webhookUrl: WebhookUrlRule;
  /** `webhook.wildcard`: whether an endpoint can subscribe to `*`. */
  readonly wildcard: 'accepted' | 'rejected_in_production' | 'rejected';
  /** `delivery.*` */
  readonly delivery: {
    readonly connectTimeoutMs: number;
    readonly attemptTimeoutMs: number;
    /** Bytes of the receiver's response that are stored. */
    readonly responseLimitBytes: number;
    /** Maximum number of attempts in flight for one endpoint. */
    readonly concurrencyPerEndpoint: number;
    /** Maximum number of attempts in flight in total. */
    readonly concurrency: number;
  };
  /** `retry.*` */
  readonly retry: RetryPolicy;
  /** `replay.failed`: whether a delivery that has succeeded keeps this status after a failed replay. */
  readonly replayFailure: 'keeps_success' | 'fails';
  /** `idempotency.scope` */
  readonly idempotency: {
    /** What must be the same, in addition to the idempotency key, in a repeated request. */
    readonly scope: 'api_key_method_path' | 'api_key';
    readonly retentionMs: number;
  };
  /** `list.workspace` and `list.limit` */
  readonly list: {
    /** Query parameter that selects the workspace. */
    readonly workspaceParameter: string;
    /** Items on a page if the client sets no limit. */
    readonly defaultLimit: number;
    readonly maxLimit: number;
  };
  /** `key.scopes`: whether reads require the read scopes. */
  readonly readScopes: 'required' | 'not_required';
  /** `rate.limit`, for each API key; null for no limit. */
  readonly rateLimit: { readonly perSecond: number; readonly burst: number } | null;
  /** `body.limit`, for the body of a request to the API. */
  readonly bodyLimitBytes: number;
}
