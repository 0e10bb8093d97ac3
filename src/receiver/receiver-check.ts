/** What a check of a receiver is, and the rules that checks are about. */
import type { CheckContext } from './check-context.ts';

/** The receiver rules of §6 of the service description, each with its place there and in one sentence. */
export const receiverRules = {
  signature: {
    reference: '§6.2',
    text: 'takes what is signed with the secret of the endpoint, and nothing else',
  },
  'raw-body': { reference: '§6.1', text: 'verifies the raw bytes of the body, before they are parsed' },
  timestamp: { reference: '§6.3', text: 'rejects a delivery that is older than five minutes' },
  rejection: { reference: '§6.4', text: 'answers 4xx to what does not verify, and does not process it' },
  acceptance: {
    reference: '§6.5',
    text: 'answers 2xx once a delivery is accepted, not after the work is done',
  },
  deduplication: { reference: '§6.6', text: 'handles the same data.id once, however often it is delivered' },
  robustness: { reference: '§6', text: 'survives what a service may well send, and goes on after it' },
} as const satisfies Record<string, { readonly reference: string; readonly text: string }>;

export type ReceiverRule = keyof typeof receiverRules;
export const receiverRuleNames = Object.keys(receiverRules) as readonly ReceiverRule[];

/** `not_observable`: nothing that came back can tell. It is never counted as passed. */
export type CheckStatus = 'passed' | 'failed' | 'not_observable';

/** What came of a check: what came back, and what that means. */
export interface CheckOutcome {
  readonly status: CheckStatus;
  readonly received: string;
  readonly meaning: string;
}

export interface ReceiverCheck {
  /** `<rule>.<what is tried>` */
  readonly id: string;
  readonly rule: ReceiverRule;
  readonly sent: string;
  /** Checks without which this one tells nothing; besides, every check needs a genuine delivery to be accepted. */
  readonly requires?: readonly string[];
  /** It can judge answers of 429; elsewhere they keep a check from telling anything. */
  readonly acceptsRateLimit?: true;
  run(checkContext: CheckContext): Promise<CheckOutcome>;
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
