/** Defines a check of a receiver and the receiver rules. */
import type { CheckContext } from './check-context.ts';

/** The receiver rules (§6), each with its section and a summary. */
export const receiverRules = {
  signature: {
    reference: '§6.2',
    text: 'accept deliveries signed with the endpoint secret, and no others',
  },
  'raw-body': { reference: '§6.1', text: 'verify the raw bytes of the body, before parsing it' },
  timestamp: { reference: '§6.3', text: 'reject a delivery that is older than five minutes' },
  rejection: { reference: '§6.4', text: 'respond with 4xx if verification fails, and do nothing else' },
  acceptance: {
    reference: '§6.5',
    text: 'respond with 2xx when a delivery is accepted, before doing the work',
  },
  deduplication: { reference: '§6.6', text: 'process each data.id once, however often it is delivered' },
  robustness: { reference: '§6', text: 'accept everything that a service can send, and keep running' },
} as const satisfies Record<string, { readonly reference: string; readonly text: string }>;

export type ReceiverRule = keyof typeof receiverRules;
export const receiverRuleNames = Object.keys(receiverRules) as readonly ReceiverRule[];

/** `not_observable`: the responses do not show the result. It never counts as passed. */
export type CheckStatus = 'passed' | 'failed' | 'not_observable';

/** Result of a check: what came back, what it means, and what to do. */
export interface CheckOutcome {
  readonly status: CheckStatus;
  readonly received: string;
  readonly meaning: string;
}

export interface ReceiverCheck {
  /** `<rule>.<test>` */
  readonly id: string;
  readonly rule: ReceiverRule;
  readonly sent: string;
  /** Ids of checks that must pass first. Every check requires that a valid delivery is accepted. */
  readonly requires?: readonly string[];
  /** The check can pass with responses of 429. Any other check is not observable then. */
  readonly acceptsRateLimit?: true;
  run(context: CheckContext): Promise<CheckOutcome>;
}

export function passed(received: string, meaning: string): CheckOutcome {
  return { status: 'passed', received, meaning };
}

export function failed(received: string, meaning: string): CheckOutcome {
  return { status: 'failed', received, meaning };
}

export function notObservable(received: string, meaning: string): CheckOutcome {
  return { status: 'not_observable', received, meaning };
}
