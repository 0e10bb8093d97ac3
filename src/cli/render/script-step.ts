/** Renders the steps of a script. */
import { type StepReport, toStepLabel } from '../../client/script/step-report.ts';
import type { TerminalCapabilities } from '../process-context.ts';
import { styleFor } from './style.ts';

/** `✓ paid  payment.succeeded  evt_…`, further lines below it. `labelWidth` is the width of the widest label. */
export function renderStep(
  { step, ok, lines }: StepReport,
  labelWidth: number,
  capabilities: TerminalCapabilities,
): string {
  const symbols = capabilities.unicode
    ? { done: '✓', failed: '✗', planned: '·' }
    : { done: 'ok', failed: 'no', planned: '--' };
  const style = styleFor(capabilities);
  const symbol =
    ok === null ? style.dim(symbols.planned) : ok ? style.green(symbols.done) : style.red(symbols.failed);
  const indent = ' '.repeat(`${symbols.done} `.length + labelWidth + '  '.length);
  return `${symbol} ${toStepLabel(step).padEnd(labelWidth)}  ${lines.join(`\n${indent}`)}`;
}
