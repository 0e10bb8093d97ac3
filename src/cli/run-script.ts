/** Runs the steps of a script. Like the commands, steps create events through the public API. */

import type { ApiClient } from '../client/api-client.ts';
import { describeOutcome } from '../domain/delivery.ts';
import { formatDuration } from '../domain/duration.ts';
import { SvcError } from '../domain/errors.ts';
import { formatPath, getTextAtPath } from '../domain/json-path.ts';
import { formatCount, formatDeliveryCount } from '../domain/message-parts.ts';
import type { Expectation, Script, ScriptStep, StepOfKind } from '../fixtures/script-fixtures.ts';
import { fillTemplates, type ResolveReference } from '../fixtures/template.ts';
import type { TemplateContexts } from '../fixtures/template-contexts.ts';
import { type ControlPlane, listAll } from '../operations/control-plane.ts';
import type { ClockMove } from '../operations/emulator-schemas.ts';
import type { Delivery } from '../resources/delivery.ts';
import { toEventBody } from '../resources/event.ts';
import { pollUntil } from './poll-until.ts';

export interface ScriptContext {
  readonly api: Pick<ApiClient, 'createEvent'>;
  readonly control: ControlPlane;
  readonly workspaceId: string;
  /** Name of the field of a request body that contains the payload (gap `event.body`). */
  readonly payloadField: string;
  readonly templateContexts: TemplateContexts;
  readonly signal: AbortSignal;
}

export interface StepReport {
  readonly step: ScriptStep;
  readonly ok: boolean;
  /** JSON text of an object. Later steps can refer to its fields. */
  readonly result: string;
  /** The result as text, the most important line first. */
  readonly lines: readonly string[];
}

type StepOutcome = Omit<StepReport, 'step'>;

/**
 * Runs the steps in order, yields the report of each, and stops at the first one that fails.
 * @throws SvcError the error of the API or the control plane
 */
export async function* runScript(script: Script, context: ScriptContext): AsyncGenerator<StepReport> {
  const run = new ScriptRun(context);
  for (const step of script.steps) {
    const outcome = await run.runStep(step);
    yield { step, ...outcome };
    if (!outcome.ok) return;
  }
}

class ScriptRun {
  readonly #context: ScriptContext;
  /** The results of steps with a name. */
  readonly #results = new Map<string, string>();
  /** The events that the steps created; `step` is the name of the step, if it has one. */
  readonly #events: { readonly step: string | null; readonly id: string }[] = [];

  constructor(context: ScriptContext) {
    this.#context = context;
  }

  runStep(step: ScriptStep): Promise<StepOutcome> {
    const { control, workspaceId: workspace_id } = this.#context;
    switch (step.kind) {
      case 'event':
        return this.#createEvent(step);
      case 'advance':
        return this.#moveClock(control.advanceClock({ workspace_id, ms: step.ms }));
      case 'settle':
        return this.#moveClock(control.settleClock({ workspace_id }));
      case 'expect':
        return this.#expect(step.expectation, step.withinMs);
    }
  }

  async #createEvent(step: StepOfKind<'event'>): Promise<StepOutcome> {
    const { api, control, workspaceId, payloadField, templateContexts } = this.#context;
    await templateContexts.useScheduleClock(control, workspaceId);
    const templateContext = templateContexts.next();
    const fill = (template: string) => fillTemplates(template, templateContext, this.#resolveReference);
    const payload = fill(step.payloadTemplate);
    const key = step.idempotencyKeyTemplate && String(JSON.parse(fill(step.idempotencyKeyTemplate)));
    const body = toEventBody({ type: step.type, workspaceId, payloadField, payload, settings: {} });
    const { value: event, text } = await api.createEvent(body, key ?? undefined);
    this.#events.push({ step: step.name, id: event.id });
    const deliveries = await listAll((page) => control.listDeliveries({ ...page, event_id: event.id }));
    const result = `{"event":${text},"deliveries":${JSON.stringify(deliveries)}}`;
    if (step.name !== null) this.#results.set(step.name, result);
    const lines = deliveries.map(({ id, url }) => `${id}  ${url}`);
    return {
      ok: true,
      result,
      lines: [`${step.type}  ${event.id}`, ...(lines.length > 0 ? lines : ['no endpoint subscribes to it'])],
    };
  }

  async #moveClock(clockMove: Promise<ClockMove>): Promise<StepOutcome> {
    const move = await clockMove;
    const attempts = move.attempts.map(
      (attempt) => `${attempt.delivery_id}  attempt ${attempt.number}  ${describeOutcome(attempt)}`,
    );
    const lines = [`${move.now}  ${attempts.length} sent, ${move.pending} pending`, ...attempts];
    return { ok: true, result: JSON.stringify(move), lines };
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

  /** The deliveries of the step `event` (default: of all events so far). */
  async #findDeliveries({ event }: Expectation): Promise<Delivery[]> {
    const { control } = this.#context;
    const events = this.#events.filter(({ step }) => event === undefined || step === event);
    const lists = await Promise.all(
      events.map(({ id }) => listAll((page) => control.listDeliveries({ ...page, event_id: id }))),
    );
    return lists.flat();
  }

  readonly #resolveReference: ResolveReference = ({ step, path }) => {
    const result = this.#results.get(step);
    const value = result && getTextAtPath(result, path);
    if (value !== undefined) return value;
    throw new SvcError('usage', `The result of step ${step} has no value at ${formatPath(path)}.`);
  };
}

/** JSON text with the name, the kind, `ok` and the fields of the result. */
export function serializeStepReport({ step: { name, kind }, ok, result }: StepReport): string {
  return `${JSON.stringify({ name, kind, ok }).slice(0, -1)},${result.slice(1)}`;
}

/** The name of a step, or what it does. */
export function toStepLabel(step: ScriptStep): string {
  return step.name ?? (step.kind === 'advance' ? `advance ${formatDuration(step.ms)}` : step.kind);
}

/** Describes the first mismatch, or returns null when the expectation is met. */
export function findMismatch(expectation: Expectation, deliveries: readonly Delivery[]): string | null {
  const { deliveries: count, status, attempt_count: attempts } = expectation;
  if (count !== undefined && count !== deliveries.length) {
    return `found ${formatDeliveryCount(deliveries.length)}`;
  }
  const mismatch = deliveries.find(
    (delivery) =>
      (status !== undefined && status !== delivery.status) ||
      (attempts !== undefined && attempts !== delivery.attempt_count),
  );
  return mismatch === undefined
    ? null
    : `${mismatch.id} is ${mismatch.status} after ${formatCount(mismatch.attempt_count, 'attempt')}`;
}

/** `2 deliveries of paid: succeeded after 1 attempt` */
export function formatExpectation(expectation: Expectation): string {
  const { event, deliveries, status, attempt_count: attempts } = expectation;
  const subject = deliveries === undefined ? 'every delivery' : formatDeliveryCount(deliveries);
  const state = [
    ...(status === undefined ? [] : [status]),
    ...(attempts === undefined ? [] : [`after ${formatCount(attempts, 'attempt')}`]),
  ].join(' ');
  return `${subject}${event === undefined ? '' : ` of ${event}`}${state === '' ? '' : `: ${state}`}`;
}
