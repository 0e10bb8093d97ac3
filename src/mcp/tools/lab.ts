/** The tool `lab`: endpoints, faults, snapshots, reset, and the checks of a receiver. */
import { resolve } from 'node:path';
import * as v from 'valibot';
import type { ControlPlane } from '../../contract/control-plane.ts';
import { NewFaultInput } from '../../contract/fault-schemas.ts';
import { idOf, JsonObject } from '../../contract/fields.ts';
import type { WebhookDetail } from '../../contract/resources.ts';
import { SECOND_MS } from '../../domain/duration.ts';
import { WILDCARD_SUBSCRIPTION } from '../../domain/event.ts';
import { RECEIVER_TIMEOUT_MS } from '../../domain/variations.ts';
import { toForwardUrl } from '../../domain/webhook-url.ts';
import { SvcError } from '../../errors.ts';
import type { CheckResult } from '../../receiver/run-checks.ts';
import { abortAfter, withAnySignal } from '../../timers.ts';
import { validate } from '../../validation/validate.ts';
import { wholeNumber } from '../../validation/value-schemas.ts';
import { EXAMPLE_TYPE, EXAMPLE_URL } from '../summarize-delivery.ts';
import { summarizeExplanation } from '../summarize-explanation.ts';
import { defineTool, formatCall, type ToolCall, type ToolResult } from '../tool.ts';

const actions = [
  'add_endpoint',
  'show_secret',
  'add_fault',
  'clear_faults',
  'save_snapshot',
  'load_snapshot',
  'reset',
  'probe_delivery',
  'check_receiver',
] as const;

/** Clients give up on a call after about a minute. */
const MAX_SECONDS = 55;

const LabInput = v.strictObject({
  action: v.picklist(actions),
  url: v.optional(v.pipe(v.string(), v.description('For add_endpoint'))),
  events: v.optional(v.pipe(v.array(v.string()), v.description('For add_endpoint, default: all'))),
  webhook_id: v.optional(v.pipe(idOf('webhook'), v.description('Default: the only endpoint'))),
  fault: v.optional(
    v.pipe(
      JsonObject,
      v.description('Such as {"on":"delivery","kind":"error-response","status":503,"count":1}'),
    ),
  ),
  id: v.optional(v.pipe(v.string(), v.description('For probe_delivery'))),
  path: v.optional(v.pipe(v.string(), v.description('Snapshot file'))),
  observe: v.optional(v.pipe(v.string(), v.description('URL that returns the processed IDs: {"ids":[…]}'))),
  seconds: v.optional(v.pipe(wholeNumber(1, MAX_SECONDS), v.description('For check_receiver')), 30),
});
type LabInput = v.InferOutput<typeof LabInput>;

export const labTool = defineTool({
  name: 'lab',
  description:
    'Set up experiments: endpoints, injected faults, snapshots, reset. probe_delivery finds the mistake of a receiver that rejects signatures, check_receiver sends about 110 deliveries',
  hints: { destructiveHint: true },
  nextAfterError: formatCall('status'),
  input: LabInput,
  output: { ok: 'boolean' },
  run: (input, call) => runAction[input.action](input, call),
});

const runAction: Readonly<
  Record<(typeof actions)[number], (input: LabInput, call: ToolCall) => Promise<ToolResult>>
> = {
  async add_endpoint({ url, events }, { emulator: { control } }) {
    const target = requireField(url, 'url', EXAMPLE_URL);
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
      next: `Give the receiver the secret of ${formatCall('lab', { action: 'show_secret', webhook_id: webhook.id })}, then ${formatCall('trigger', { type: EXAMPLE_TYPE, wait_seconds: 10 })}`,
    };
  },
  async show_secret({ webhook_id }, { emulator: { control } }) {
    const { id } = await findWebhook(webhook_id, control);
    const { secret } = await control.revealSecret({ id });
    return { ok: true, webhook_id: id, secret, next: 'Set SVC_WEBHOOK_SECRET to it where the receiver runs' };
  },
  async add_fault({ fault }, { emulator: { control } }) {
    const input = validate(
      NewFaultInput,
      requireField(fault, 'fault', { on: 'delivery', kind: 'duplicate' }),
      'validation_failed',
    );
    const { id, on, kind } = await control.addFault(input);
    return {
      ok: true,
      fault: { id, on, kind },
      next: formatCall('trigger', { type: input.type ?? EXAMPLE_TYPE, wait_seconds: 10 }),
    };
  },
  async clear_faults(_input, { emulator: { control } }) {
    return { ok: true, ...(await control.clearFaults({})), next: formatCall('status') };
  },
  async save_snapshot({ path }, { emulator: { control }, projectFolder }) {
    const file = resolve(projectFolder, requireField(path, 'path', 'before.svc'));
    const saved = await control.saveSnapshot({ path: file });
    return { ok: true, ...saved, next: formatCall('lab', { action: 'load_snapshot', path: file }) };
  },
  async load_snapshot({ path }, { emulator: { control }, projectFolder }) {
    await control.loadSnapshot({ path: resolve(projectFolder, requireField(path, 'path', 'before.svc')) });
    return { ok: true, next: formatCall('status') };
  },
  async reset(_input, { emulator: { control } }) {
    await control.reset({});
    return { ok: true, next: formatCall('status') };
  },
  async probe_delivery({ id = 'latest' }, { emulator: { control }, signal }) {
    return summarizeExplanation(await control.probeDelivery({ id }, signal), true);
  },
  check_receiver: checkReceiver,
};

function requireField<Value>(value: Value | undefined, name: string, example: Value): Value {
  if (value !== undefined) return value;
  throw new SvcError('validation_failed', `${name} is required for this action.`, {
    hint: `Pass ${JSON.stringify({ [name]: example })}`,
  });
}

async function findWebhook(id: string | undefined, control: ControlPlane): Promise<WebhookDetail> {
  if (id !== undefined) return control.getWebhook({ id });
  const { data } = await control.listWebhooks({ limit: 2 });
  const [only, second] = data;
  if (only === undefined) {
    throw new SvcError('not_found', 'No endpoint is registered.', {
      hint: formatCall('lab', { action: 'add_endpoint', url: EXAMPLE_URL }),
    });
  }
  if (second === undefined) return only;
  throw new SvcError('validation_failed', 'There are several endpoints, so webhook_id is required.');
}

async function checkReceiver(input: LabInput, call: ToolCall): Promise<ToolResult> {
  const { control, rules, now } = call.emulator;
  const webhook = await findWebhook(input.webhook_id, control);
  const { secret } = await control.revealSecret({ id: webhook.id });
  const [eventType = WILDCARD_SUBSCRIPTION] = webhook.events;
  const type = eventType === WILDCARD_SUBSCRIPTION ? EXAMPLE_TYPE : eventType;
  const { payload_text: payload } = await control.getFixture({ type });
  // Loaded on first use, because most sessions do not check a receiver.
  const { runChecks } = await import('../../receiver/run-checks.ts');
  const { createUrlReader } = await import('../../receiver/side-effect-observer.ts');
  const report = await withAnySignal([call.signal, abortAfter(input.seconds * SECOND_MS)], (signal) => {
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
    ...(interrupted && { interrupted: `Only some checks ran within ${input.seconds} s.` }),
    failures: listFirstOfEachRule(failures),
    next: ok
      ? formatCall('status')
      : `Correct the receiver, then ${formatCall('lab', { action: 'check_receiver', webhook_id: webhook.id })}`,
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
