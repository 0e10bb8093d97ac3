/** Styles of texts: colors, symbols of states. */
import { Chalk, type ChalkInstance } from 'chalk';
import {
  checkStatusSymbols,
  type DisplayStatus,
  deliveryStatusSymbols,
  describeOutcome,
} from '../../domain/delivery.ts';
import type { Verification } from '../../resources/verification.ts';
import type { TerminalCapabilities } from '../process-context.ts';
import { applyStyle } from '../terminal-text.ts';

const styleNames = ['bold', 'dim', 'red', 'green', 'yellow', 'cyan'] as const;

type Style = Readonly<Record<(typeof styleNames)[number], (text: string) => string>>;

const colored = createStyle(new Chalk({ level: 1 }));
const plain = createStyle(new Chalk({ level: 0 }));

/** The level of chalk is that of the output, which `io.ts` decides. */
export function styleFor(capabilities: { readonly color: boolean }): Style {
  return capabilities.color ? colored : plain;
}

function createStyle(chalk: ChalkInstance): Style {
  const entries = styleNames.map((name) => [name, (text: string) => applyStyle(chalk[name], text)]);
  return Object.fromEntries(entries);
}

type StyleCapabilities = Pick<TerminalCapabilities, 'color' | 'unicode'>;

/** `✓ succeeded` */
export function styleStatus(status: DisplayStatus, capabilities: StyleCapabilities): string {
  const style = styleFor(capabilities);
  const colors = {
    pending: style.yellow,
    failing: style.red,
    paused: style.dim,
    succeeded: style.green,
    failed: style.red,
    canceled: style.dim,
  };
  return colors[status](withSymbol(status, status, capabilities));
}

/** `✓ 200`, `✗ 503`, `✗ timed out` */
export function styleOutcome(
  attempt: Parameters<typeof describeOutcome>[0],
  capabilities: StyleCapabilities,
): string {
  const style = styleFor(capabilities);
  const text = describeOutcome(attempt);
  return attempt.outcome === 'succeeded'
    ? style.green(withSymbol('succeeded', text, capabilities))
    : style.red(withSymbol('failed', text, capabilities));
}

function withSymbol(status: DisplayStatus, text: string, { unicode }: StyleCapabilities): string {
  return unicode ? `${deliveryStatusSymbols[status]} ${text}` : text;
}

/** `✓ ok`, `✗ failed`, `– no evidence` */
export function styleCheckStatus(
  status: keyof typeof checkStatusSymbols,
  capabilities: StyleCapabilities,
): string {
  const style = styleFor(capabilities);
  const colors = {
    ok: style.green,
    passed: style.green,
    confirmed: style.green,
    warning: style.yellow,
    problem: style.red,
    failed: style.red,
    different: style.red,
    skipped: style.dim,
    no_evidence: style.dim,
    inconclusive: style.dim,
  };
  const text = status.replace('_', ' ');
  return colors[status](capabilities.unicode ? `${checkStatusSymbols[status]} ${text}` : text);
}

/** 0 is the status of a dropped request. */
export function styleHttpStatus(status: number, capabilities: { readonly color: boolean }): string {
  const style = styleFor(capabilities);
  if (status === 0) return style.red('none');
  if (status < 400) return style.green(String(status));
  return (status < 500 ? style.yellow : style.red)(String(status));
}

/** Renders a verification on one line: `valid  The signature is valid, …` or the reason with its detail. */
export function renderVerification(
  { ok, reason, detail }: Verification,
  capabilities: { readonly color: boolean },
): string {
  const style = styleFor(capabilities);
  return `${ok ? style.green('valid') : style.red(String(reason))}  ${detail}`;
}
