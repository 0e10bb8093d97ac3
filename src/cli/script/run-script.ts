/** Runs a script, step by step, through the same doors as the commands: events and endpoints by the public API. */
import type { Delivery } from '../../contract/delivery-schemas.ts';
import type { ClockMove } from '../../contract/emulator-schemas.ts';
import type { ApiClient } from '../../control/api-client.ts';
import type { ControlPlane } from '../../control/control-plane.ts';
import { toEventBody } from '../../control/event-body.ts';
import { listAll } from '../../control/list-all.ts';
import { isPending } from '../../control/wait.ts';
import { formatDuration } from '../../domain/duration.ts';
import { toForwardUrl } from '../../domain/forward-url.ts';
import { type JsonTree, parseJsonTree, printJsonTree } from '../../domain/json.ts';
import { formatPath, getAtPath } from '../../domain/json-path.ts';
import { SvcError } from '../../errors.ts';
import type { Expectation, Script, ScriptStep, StepOfKind } from '../../fixtures/script-fixtures.ts';
import { fillTemplates, type ResolveReference } from '../../fixtures/template.ts';
import { pollUntil } from '../poll-until.ts';
import { formatDeliveryCount } from '../render/format-count.ts';
import type { TemplateScopes } from '../template-scopes.ts';
import { findMismatch, formatExpectation } from './expectation.ts';
import type { StepReport } from './step-report.ts';

export interface ScriptContext {
  readonly api: ApiClient;
  readonly control: ControlPlane;
  /** The control plane for clearing up, which still answers when the person has interrupted. */
  readonly connectForCleanup: () => Promise<ControlPlane>;
  readonly workspaceId: string;
  readonly payloadMember: string;
  readonly scopes: TemplateScopes;
  readonly signal: AbortSignal;
  /** Whether the endpoints that the script registers stay. */
  readonly keepsEndpoints: boolean;
}

/**
 * Runs the steps in turn and tells of each when it is done. The first that is not as it was to be is the last. The
 * endpoints that the script registered are deleted in the end.
 * @throws SvcError what the API or the control plane refuses.
 */
export async function* runScript(script: Script, scriptContext: ScriptContext): AsyncGenerator<StepReport> {
  const run = new ScriptRun(scriptContext);
  try {
    for (const step of script.steps) {
      const report = await run.runStep(step);
      yield report;
      if (!report.ok) return;
    }
  } finally {
    if (!scriptContext.keepsEndpoints) await run.deleteWebhooks();
  }
}

/** Something that a script made, by the name of the step where it has one. */
interface CreatedResource {
  readonly step: string | null;
  readonly id: string;
}

type Outcome = Omit<StepReport, 'step'>;

class ScriptRun {
  readonly #scriptContext: ScriptContext;
  readonly #results = new Map<string, JsonTree>();
  readonly #events: CreatedResource[] = [];
  readonly #webhooks: CreatedResource[] = [];

  constructor(scriptContext: ScriptContext) {
    this.#scriptContext = scriptContext;
  }

  async runStep(step: ScriptStep): Promise<StepReport> {
    const outcome = await this.#act(step);
    if (step.name !== null) this.#results.set(step.name, parseJsonTree(outcome.result));
    return { step, ...outcome };
  }

  async deleteWebhooks(): Promise<void> {
    if (this.#webhooks.length === 0) return;
    const control = await this.#scriptContext.connectForCleanup();
    // One that somebody else has deleted, or an emulator that is gone, is nothing to complain about here.
    await Promise.allSettled(this.#webhooks.map(({ id }) => control.deleteWebhook({ id })));
  }

  #act(step: ScriptStep): Promise<Outcome> {
    const { control, workspaceId: workspace_id } = this.#scriptContext;
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

  async #createEvent(step: StepOfKind<'event'>): Promise<Outcome> {
    const { api, control, workspaceId, payloadMember } = this.#scriptContext;
    const fill = await this.#createFill();
    const payload = fill(step.payloadTemplate);
    const key = step.idempotencyKeyTemplate && parseScalar(fill(step.idempotencyKeyTemplate));
    const body = toEventBody({ type: step.type, workspaceId, payloadMember, payload });
    const { value: event, text } = await api.createEvent(body, key ?? undefined);
    this.#events.push({ step: step.name, id: event.id });
    const deliveries = await listAll((page) => control.listDeliveries({ ...page, event_id: event.id }));
    const told = deliveries.map(({ id, url }) => `${id}  ${url}`);
    return {
      ok: true,
      result: `{"event":${text},"deliveries":${JSON.stringify(deliveries)}}`,
      lines: [`${step.type}  ${event.id}`, ...(told.length > 0 ? told : ['no endpoint is subscribed'])],
    };
  }

  async #createWebhook({ name, webhookTemplate }: StepOfKind<'webhook'>): Promise<Outcome> {
    const fill = await this.#createFill();
    const { url: written, events } = JSON.parse(fill(webhookTemplate)) as { url: unknown; events: string[] };
    const url = toForwardUrl(String(written)) ?? String(written);
    const { value: webhook, text } = await this.#scriptContext.api.createWebhook({
      ...{ workspace_id: this.#scriptContext.workspaceId, url, events },
    });
    this.#webhooks.push({ step: name, id: webhook.id });
    const lines = [`${webhook.id}  ${webhook.events.join(', ')} → ${webhook.url}`];
    return { ok: true, result: `{"webhook":${text}}`, lines };
  }

  async #moveClock(moving: Promise<ClockMove>): Promise<Outcome> {
    const move = await moving;
    const told = move.attempts.map(
      ({ delivery_id: id, number, outcome, response_status: status }) =>
        `${id}  attempt ${number}  ${outcome}${status === null ? '' : ` ${status}`}`,
    );
    const lines = [`${move.now}  ${told.length} sent, ${move.pending} pending`, ...told];
    return { ok: true, result: JSON.stringify(move), lines };
  }

  async #wait(timeoutMs: number): Promise<Outcome> {
    const deliveries = await pollUntil(
      () => this.#findDeliveries({}),
      (seen) => !seen.some(isPending),
      { timeoutMs, signal: this.#scriptContext.signal },
    );
    const pending = deliveries.filter(isPending);
    const line =
      pending.length === 0
        ? `${formatDeliveryCount(deliveries.length)} settled`
        : `${formatDeliveryCount(pending.length)} still pending after ${formatDuration(timeoutMs)}`;
    return {
      ...{ ok: pending.length === 0, result: JSON.stringify({ deliveries }) },
      lines: [line, ...deliveries.map(({ id, status }) => `${id}  ${status}`)],
    };
  }

  async #expect(expectation: Expectation, timeoutMs: number): Promise<Outcome> {
    const deliveries = await pollUntil(
      () => this.#findDeliveries(expectation),
      (seen) => findMismatch(expectation, seen) === null,
      { timeoutMs, signal: this.#scriptContext.signal },
    );
    const problem = findMismatch(expectation, deliveries);
    return {
      ok: problem === null,
      result: JSON.stringify({ expect: expectation, problem, deliveries }),
      lines: [formatExpectation(expectation), ...(problem === null ? [] : [problem])],
    };
  }

  /** Deliveries of one step's event or of all so far, to one step's endpoint or to all. */
  async #findDeliveries({ event, webhook }: Expectation): Promise<Delivery[]> {
    const { control } = this.#scriptContext;
    const webhookId = this.#webhooks.find(({ step }) => step === webhook)?.id;
    const filter = webhook === undefined || webhookId === undefined ? {} : { webhook_id: webhookId };
    const events = this.#events.filter(({ step }) => event === undefined || step === event);
    const lists = await Promise.all(
      events.map(({ id }) => listAll((page) => control.listDeliveries({ ...page, ...filter, event_id: id }))),
    );
    return lists.flat();
  }

  /** Fills templates of one step, all with the same scope. */
  async #createFill(): Promise<(template: string) => string> {
    const { scopes, control, workspaceId } = this.#scriptContext;
    await scopes.useScheduleClock(control, workspaceId);
    const scope = scopes.next();
    return (template) => fillTemplates(template, scope, this.#resolve);
  }

  readonly #resolve: ResolveReference = ({ step, path }) => {
    const result = this.#results.get(step);
    const found = result && getAtPath(result, path);
    if (found !== undefined) return printJsonTree(found);
    throw new SvcError('usage', `The step ${step} has nothing at ${formatPath(path)}.`);
  };
}

/** What the JSON text of a scalar says. */
function parseScalar(text: string): string {
  return String(JSON.parse(text));
}
