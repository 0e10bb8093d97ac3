/** Styles of texts: colors, symbols of states. */
import {
  checkStatusSymbols,
  type DisplayStatus,
  deliveryStatusSymbols,
  describeOutcome,
} from '../../domain/delivery.ts';
import type { TerminalCapabilities } from '../process-context.ts';
import { styleSequence } from '../terminal-text.ts';

/** SGR attributes: the codes that set and reset each one. */
const attributes = {
  bold: [1, 22],
  dim: [2, 22],
  inverse: [7, 27],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const satisfies Record<string, readonly [on: number, off: number]>;

type Style = Readonly<Record<keyof typeof attributes, (text: string) => string>>;

const colored = toStyle((text, [on, off]) =>
  text === '' ? '' : styleSequence(on) + text + styleSequence(off),
);
const plain = toStyle((text) => text);

export function styleFor(capabilities: { readonly color: boolean }): Style {
  return capabilities.color ? colored : plain;
}

function toStyle(apply: (text: string, codes: readonly [number, number]) => string): Style {
  const entries = Object.entries(attributes).map(
    ([name, codes]) => [name, (text: string) => apply(text, codes)] as const,
  );
  return Object.fromEntries(entries) as Style;
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

/** `✓ ok`, `✗ failed`, `– inconclusive` */
export function styleCheckStatus(
  status: keyof typeof checkStatusSymbols,
  capabilities: StyleCapabilities,
): string {
  const style = styleFor(capabilities);
  const colors = {
    ok: style.green,
    passed: style.green,
    warning: style.yellow,
    problem: style.red,
    failed: style.red,
    skipped: style.dim,
    inconclusive: style.dim,
  };
  return colors[status](capabilities.unicode ? `${checkStatusSymbols[status]} ${status}` : status);
}

/** 0 is the status of a dropped request. */
export function styleHttpStatus(status: number, capabilities: { readonly color: boolean }): string {
  const style = styleFor(capabilities);
  if (status === 0) return style.red('none');
  if (status < 400) return style.green(String(status));
  return (status < 500 ? style.yellow : style.red)(String(status));
}
