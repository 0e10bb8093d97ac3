/** The tool `receiver`: registers a receiver as an endpoint, shows its secret, and tests it. */
import * as v from 'valibot';
import { abortAfter, withAnySignal } from '../../abort-signals.ts';
import type { ControlPlane } from '../../contract/control-plane.ts';
import { idOf } from '../../contract/fields.ts';
import type { WebhookDetail } from '../../contract/resources.ts';
import { SECOND_MS } from '../../domain/duration.ts';
import { WILDCARD_SUBSCRIPTION } from '../../domain/event.ts';
import { RECEIVER_TIMEOUT_MS } from '../../domain/variations.ts';
import { toForwardUrl } from '../../domain/webhook-url.ts';
import { SvcError } from '../../errors.ts';
import type { CheckResult } from '../../receiver/run-checks.ts';
import { EXAMPLE_TYPE, EXAMPLE_URL } from '../summarize-delivery.ts';
import { summarizeExplanation } from '../summarize-explanation.ts';
import {
  ArgumentError,
  defineTool,
  formatCall,
  requireArgument,
  type ToolCall,
  type ToolResult,
} from '../tool.ts';

const actions = ['register', 'secret', 'check', 'probe'] as const;

/** Time limit of the checks: clients give up on a call after about a minute. */
const MAX_CHECK_SECONDS = 55;

const ReceiverInput = v.strictObject({
  action: v.picklist(actions),
  url: v.optional(v.pipe(v.string(), v.description('For register'))),
  events: v.optional(v.pipe(v.array(v.string()), v.description('For register, default: all'))),
  webhook_id: v.optional(v.pipe(idOf('webhook'), v.description('Default: the only endpoint'))),
  id: v.optional(v.pipe(v.string(), v.description('For probe: the delivery')), 'latest'),
  observe: v.optional(v.pipe(v.string(), v.description('URL that returns the processed IDs: {"ids":[…]}'))),
});
type ReceiverInput = v.InferOutput<typeof ReceiverInput>;

export const receiverTool = defineTool({
  name: 'receiver',
  description:
    'Register a receiver, show its secret, or test it: probe finds the mistake of one that rejects signatures, check sends about 130 deliveries',
  hints: { destructiveHint: false },
  nextAfterError: formatCall('status'),
  input: ReceiverInput,
  output: { ok: 'boolean' },
  run: (input, call) => runAction[input.action](input, call),
});

const runAction: Readonly<
  Record<(typeof actions)[number], (input: ReceiverInput, call: ToolCall) => Promise<ToolResult>>
> = {
  async register({ url, events }, { emulator: { control } }) {
    const target = requireArgument(url, 'url', EXAMPLE_URL);
    const webhook = await control.createWebhook({
      url: toForwardUrl(target) ?? target,
      ...(events && { events }),
      reuse: true,
    });
    return {
      ok: true,
      webhook_id: webhook.id,
      url: webhook.url,
      events: webhook.events,
      next: `Give the receiver the secret of ${formatCall('receiver', { action: 'secret', webhook_id: webhook.id })}, then ${formatCall('trigger', { type: EXAMPLE_TYPE, wait_seconds: 10 })}`,
    };
  },
  async secret({ webhook_id }, { emulator: { control } }) {
    const { id } = await findWebhook(webhook_id, control);
    const { secret } = await control.revealSecret({ id });
    return { ok: true, webhook_id: id, secret, next: 'Set SVC_WEBHOOK_SECRET to it where the receiver runs' };
  },
  check: checkReceiver,
  async probe({ id }, { emulator: { control }, signal }) {
    return summarizeExplanation(await control.probeDelivery({ id }, signal), true);
  },
};

async function findWebhook(id: string | undefined, control: ControlPlane): Promise<WebhookDetail> {
  if (id !== undefined) return control.getWebhook({ id });
  const { data } = await control.listWebhooks({ limit: 2 });
  const [only, second] = data;
  if (only === undefined) {
    const changes = { action: 'register', url: EXAMPLE_URL };
    throw new ArgumentError('No endpoint is registered.', changes, undefined, 'not_found');
  }
  if (second === undefined) return only;
  throw new SvcError('validation_failed', 'There are several endpoints, so webhook_id is required.');
}

async function checkReceiver(input: ReceiverInput, call: ToolCall): Promise<ToolResult> {
  const { control, rules, now } = call.emulator;
  const webhook = await findWebhook(input.webhook_id, control);
  const { secret } = await control.revealSecret({ id: webhook.id });
  const [eventType = WILDCARD_SUBSCRIPTION] = webhook.events;
  const type = eventType === WILDCARD_SUBSCRIPTION ? EXAMPLE_TYPE : eventType;
  const { payload_text: payload } = await control.getFixture({ type });
  // Loaded on first use, because most sessions do not check a receiver.
  const { runChecks } = await import('../../receiver/run-checks.ts');
  const { createUrlReader } = await import('../../receiver/side-effect-reader.ts');
  const report = await withAnySignal([call.signal, abortAfter(MAX_CHECK_SECONDS * SECOND_MS)], (signal) => {
    const network = { urlRule: rules.webhookUrl, signal };
    return runChecks({
      ...network,
      url: webhook.url,
      insecureTls: webhook.skip_verify,
      extraHeaders: webhook.headers,
      secret,
      scheme: rules.signature,
      eventType: type,
      payload,
      now,
      timeoutMs: RECEIVER_TIMEOUT_MS,
      readSideEffects: input.observe === undefined ? null : createUrlReader(input.observe, network),
      apiKey: null,
      only: [],
      strict: false,
      onProgress: (done, total, check) => call.onProgress(done, total, check ?? 'The checks have ended'),
    });
  });
  const failures = report.checks.filter(({ status }) => status === 'failed');
  const { ok, passed, failed, inconclusive, interrupted } = report;
  return {
    ok,
    passed,
    failed,
    inconclusive,
    ...(interrupted && { interrupted: `Only some checks ran within ${MAX_CHECK_SECONDS} s.` }),
    failures: listFirstOfEachRule(failures),
    next: ok
      ? formatCall('status')
      : `Correct the receiver, then ${formatCall('receiver', { action: 'check', webhook_id: webhook.id })}`,
  };
}

/** The first failure of each rule: the others of the rule usually have the same cause. */
function listFirstOfEachRule(failures: readonly CheckResult[]) {
  const first = failures.filter(
    ({ rule }, index) => failures.findIndex((other) => other.rule === rule) === index,
  );
  return first.map(({ id, rule, sent, received, meaning }) => ({
    id,
    sent,
    received,
    meaning,
    failed_checks_of_rule: failures.filter((other) => other.rule === rule).length,
  }));
}
