/** Runs the steps of a script, or plans them. Like the commands, steps create events and endpoints through the public API. */

import type { ApiClient } from '../../client/api-client.ts';
import { describeOutcome } from '../../domain/delivery.ts';
import { formatDuration } from '../../domain/duration.ts';
import { SvcError } from '../../domain/errors.ts';
import { formatPath, getTextAtPath } from '../../domain/json-path.ts';
import { indentJson } from '../../domain/json-text.ts';
import { formatDeliveryCount } from '../../domain/message-parts.ts';
import { toForwardUrl } from '../../domain/webhook-url.ts';
import type { Expectation, Script, ScriptStep, StepOfKind } from '../../fixtures/script-fixtures.ts';
import { fillTemplates, type ResolveReference } from '../../fixtures/template.ts';
import type { TemplateContexts } from '../../fixtures/template-contexts.ts';
import { type ControlPlane, listAll } from '../../operations/control-plane.ts';
import type { ClockMove } from '../../operations/emulator-schemas.ts';
import type { Delivery } from '../../resources/delivery.ts';
import { toEventBody } from '../../resources/event.ts';
import { pollUntil } from '../poll-until.ts';
import { findMismatch, formatExpectation, type StepReport } from './step-report.ts';

export interface ScriptContext {
  readonly api: Pick<ApiClient, 'createEvent' | 'createWebhook'>;
  readonly control: ControlPlane;
  /** Returns a control plane for the cleanup that an interruption does not abort. */
  readonly connectForCleanup: () => Promise<ControlPlane>;
  readonly workspaceId: string;
  /** Name of the field of a request body that contains the payload (gap `event.body`). */
  readonly payloadField: string;
  readonly templateContexts: TemplateContexts;
  readonly signal: AbortSignal;
  /** Whether the endpoints of the script stay registered after its end. */
  readonly keepsEndpoints: boolean;
}

/**
 * Runs the steps in order, yields the report of each, and stops at the first one that fails. At the end it deletes the
 * endpoints that the script created.
 * @throws SvcError the error of the API or the control plane
 */
export async function* runScript(script: Script, context: ScriptContext): AsyncGenerator<StepReport> {
  const run = new ScriptRun(context);
  try {
    for (const step of script.steps) {
      const report = await run.runStep(step);
      yield report;
      if (!report.ok) return;
    }
  } finally {
    if (!context.keepsEndpoints) await run.deleteWebhooks();
  }
}

/** A resource that a step created; `step` is the name of the step, if it has one. */
interface CreatedResource {
  readonly step: string | null;
  readonly id: string;
}

type StepOutcome = Omit<StepReport, 'step'>;

class ScriptRun {
  readonly #context: ScriptContext;
  readonly #results = new Map<string, string>();
  readonly #events: CreatedResource[] = [];
  readonly #webhooks: CreatedResource[] = [];

  constructor(context: ScriptContext) {
    this.#context = context;
  }

  async runStep(step: ScriptStep): Promise<StepReport> {
    const outcome = await this.#runKind(step);
    if (step.name !== null) this.#results.set(step.name, outcome.result);
    return { step, ...outcome };
  }

  async deleteWebhooks(): Promise<void> {
    if (this.#webhooks.length === 0) return;
    const control = await this.#context.connectForCleanup();
    // Ignores endpoints that were deleted meanwhile, and an emulator that was stopped.
    await Promise.allSettled(this.#webhooks.map(({ id }) => control.deleteWebhook({ id })));
  }

  #runKind(step: ScriptStep): Promise<StepOutcome> {
    const { control, workspaceId: workspace_id } = this.#context;
    switch (step.kind) {
      case 'event':
        return this.#createEvent(step);
      case 'webhook':
        return this.#createWebhook(step);
      case 'advance':
        return this.#moveClock(control.advanceClock({ workspace_id, ms: step.ms }));
      case 'settle':
        return this.#moveClock(control.settleClock({ workspace_id }));
      case 'wait':
        return this.#wait(step.ms);
      case 'expect':
        return this.#expect(step.expectation, step.withinMs);
    }
  }

  async #createEvent(step: StepOfKind<'event'>): Promise<StepOutcome> {
    const { api, control, workspaceId, payloadField } = this.#context;
    const fillTemplate = await this.#createTemplateFiller();
    const payload = fillTemplate(step.payloadTemplate);
    const key = step.idempotencyKeyTemplate && toText(fillTemplate(step.idempotencyKeyTemplate));
    const body = toEventBody({ type: step.type, workspaceId, payloadField, payload });
    const { value: event, text } = await api.createEvent(body, key ?? undefined);
    this.#events.push({ step: step.name, id: event.id });
    const deliveries = await listAll((page) => control.listDeliveries({ ...page, event_id: event.id }));
    const lines = deliveries.map(({ id, url }) => `${id}  ${url}`);
    return {
      ok: true,
      result: `{"event":${text},"deliveries":${JSON.stringify(deliveries)}}`,
      lines: [`${step.type}  ${event.id}`, ...(lines.length > 0 ? lines : ['no endpoint subscribes to it'])],
    };
  }

  async #createWebhook({ name, webhookTemplate }: StepOfKind<'webhook'>): Promise<StepOutcome> {
    const fillTemplate = await this.#createTemplateFiller();
    // A template can turn the URL into a number, such as a port.
    const { url: urlText, events } = JSON.parse(fillTemplate(webhookTemplate)) as {
      url: unknown;
      events: string[];
    };
    const url = toForwardUrl(String(urlText)) ?? String(urlText);
    const { value: webhook, text } = await this.#context.api.createWebhook({
      workspace_id: this.#context.workspaceId,
      url,
      events,
    });
    this.#webhooks.push({ step: name, id: webhook.id });
    const lines = [`${webhook.id}  ${webhook.events.join(', ')} → ${webhook.url}`];
    return { ok: true, result: `{"webhook":${text}}`, lines };
  }

  async #moveClock(clockMove: Promise<ClockMove>): Promise<StepOutcome> {
    const move = await clockMove;
    const attempts = move.attempts.map(
      (attempt) => `${attempt.delivery_id}  attempt ${attempt.number}  ${describeOutcome(attempt)}`,
    );
    const lines = [`${move.now}  ${attempts.length} sent, ${move.pending} pending`, ...attempts];
    return { ok: true, result: JSON.stringify(move), lines };
  }

  async #wait(timeoutMs: number): Promise<StepOutcome> {
    const deliveries = await pollUntil(
      () => this.#findDeliveries({}),
      (deliveries) => !deliveries.some(isPending),
      { timeoutMs, signal: this.#context.signal },
    );
    const pending = deliveries.filter(isPending);
    const line =
      pending.length === 0
        ? `${formatDeliveryCount(deliveries.length)} settled`
        : `${formatDeliveryCount(pending.length)} still pending after ${formatDuration(timeoutMs)}`;
    return {
      ok: pending.length === 0,
      result: JSON.stringify({ deliveries }),
      lines: [line, ...deliveries.map(({ id, status }) => `${id}  ${status}`)],
    };
  }

  async #expect(expectation: Expectation, timeoutMs: number): Promise<StepOutcome> {
    const deliveries = await pollUntil(
      () => this.#findDeliveries(expectation),
      (deliveries) => findMismatch(expectation, deliveries) === null,
      { timeoutMs, signal: this.#context.signal },
    );
    const problem = findMismatch(expectation, deliveries);
    return {
      ok: problem === null,
      result: JSON.stringify({ expect: expectation, problem, deliveries }),
      lines: [formatExpectation(expectation), ...(problem === null ? [] : [problem])],
    };
  }

  /** The deliveries of the step `event` (default: of all events so far) to the endpoint of the step `webhook` (default: to all). */
  async #findDeliveries({ event, webhook }: Expectation): Promise<Delivery[]> {
    const { control } = this.#context;
    const webhookId = this.#webhooks.find(({ step }) => step === webhook)?.id;
    const filter = webhookId === undefined ? {} : { webhook_id: webhookId };
    const events = this.#events.filter(({ step }) => event === undefined || step === event);
    const lists = await Promise.all(
      events.map(({ id }) => listAll((page) => control.listDeliveries({ ...page, ...filter, event_id: id }))),
    );
    return lists.flat();
  }

  /** Creates a function that fills all templates of one step with the same values. */
  async #createTemplateFiller(): Promise<(template: string) => string> {
    const { templateContexts, control, workspaceId } = this.#context;
    await templateContexts.useScheduleClock(control, workspaceId);
    const templateContext = templateContexts.next();
    return (template) => fillTemplates(template, templateContext, this.#resolveReference);
  }

  readonly #resolveReference: ResolveReference = ({ step, path }) => {
    const result = this.#results.get(step);
    const value = result && getTextAtPath(result, path);
    if (value !== undefined) return value;
    throw new SvcError('usage', `The result of step ${step} has no value at ${formatPath(path)}.`);
  };
}

/** The text of a JSON string or another JSON value. */
function toText(json: string): string {
  return String(JSON.parse(json));
}

/**
 * Reports what each step would do, without sending anything. Templates are filled with values, except references to the
 * results of steps, which do not exist yet.
 * @throws SvcError `usage` when a variable is missing
 */
export function planScript(script: Script, templateContexts: TemplateContexts): StepReport[] {
  return script.steps.map((step) => ({ step, ok: null, ...planStep(step, templateContexts) }));
}

function planStep(
  step: ScriptStep,
  templateContexts: TemplateContexts,
): Pick<StepReport, 'result' | 'lines'> {
  switch (step.kind) {
    case 'event': {
      const templateContext = templateContexts.next();
      const payload = fillTemplates(step.payloadTemplate, templateContext, keepReference);
      const key =
        step.idempotencyKeyTemplate &&
        fillTemplates(step.idempotencyKeyTemplate, templateContext, keepReference);
      const keyField = key === null ? '' : `,"idempotency_key":${key}`;
      return {
        result: `{"event":{"type":${JSON.stringify(step.type)},"payload":${payload}}${keyField}}`,
        lines: [step.type, ...indentJson(payload).split('\n')],
      };
    }
    case 'webhook': {
      const webhook = fillTemplates(step.webhookTemplate, templateContexts.next(), keepReference);
      return { result: `{"webhook":${webhook}}`, lines: [webhook] };
    }
    case 'advance':
      return { result: JSON.stringify({ duration_ms: step.ms }), lines: ['the clock'] };
    case 'wait':
      return { result: JSON.stringify({ duration_ms: step.ms }), lines: ['until no delivery is pending'] };
    case 'settle':
      return { result: '{}', lines: ['the clock, until no delivery is pending'] };
    case 'expect':
      return {
        result: JSON.stringify({ expect: step.expectation }),
        lines: [formatExpectation(step.expectation)],
      };
  }
}

const keepReference: ResolveReference = ({ step, path }) =>
  JSON.stringify(`{{${formatPath(['steps', step, ...path])}}}`);

function isPending({ status }: Delivery): boolean {
  return status === 'pending';
}
