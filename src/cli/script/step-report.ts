/** What became of a step of a script, and how it is told. */
import { formatDuration } from '../../domain/duration.ts';
import type { ScriptStep } from '../../fixtures/script-fixtures.ts';
import type { TerminalCapabilities } from '../io.ts';
import { styleFor } from '../render/style.ts';

export interface StepReport {
  readonly step: ScriptStep;
  /** Null for a step that was only looked at. */
  readonly ok: boolean | null;
  /** JSON text of an object: what happened, which is also what later steps can refer to. */
  readonly result: string;
  /** The same for a person, the essence in the first line. */
  readonly lines: readonly string[];
}

/** A step in JSON: its name, kind and verdict, and the members of its result. */
export function serializeStepReport({ step: { name, kind }, ok, result }: StepReport): string {
  const head = JSON.stringify({ name, kind, ...(ok === null ? {} : { ok }) });
  return result === '{}' ? head : `${head.slice(0, -1)},${result.slice(1)}`;
}

/** `✓ paid  payment.succeeded  evt_…`, further lines below it. `labelWidth` is that of the widest label. */
export function renderStep(
  { step, ok, lines }: StepReport,
  labelWidth: number,
  terminalCapabilities: TerminalCapabilities,
): string {
  const symbol = terminalCapabilities.unicode
    ? { done: '✓', failed: '✗', seen: '·' }
    : { done: 'ok', failed: 'no', seen: '--' };
  const style = styleFor(terminalCapabilities);
  const mark =
    ok === null ? style.dim(symbol.seen) : ok ? style.green(symbol.done) : style.red(symbol.failed);
  const indent = ' '.repeat(symbol.done.length + 1 + labelWidth + 2);
  return `${mark} ${toStepLabel(step).padEnd(labelWidth)}  ${lines.join(`\n${indent}`)}`;
}

/** The name of a step, or what it does. */
export function toStepLabel(step: ScriptStep): string {
  if (step.name !== null) return step.name;
  return step.kind === 'advance' || step.kind === 'wait'
    ? `${step.kind} ${formatDuration(step.ms)}`
    : step.kind;
}
