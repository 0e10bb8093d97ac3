/** A result of a benchmark, as a line of the table. */
export interface Finding {
  readonly name: string;
  /** The medians that the ratio is computed from, or values without a ratio. */
  readonly measured: Readonly<Record<string, number>>;
  /** Ratio with its target (default: no target). */
  readonly ratio?: { readonly value: number; readonly reach: number; readonly better: 'higher' | 'lower' };
}

/** Whether the ratio meets its target; null without one. */
export function isTargetReached({ ratio }: Finding): boolean | null {
  if (ratio === undefined) return null;
  return ratio.better === 'higher' ? ratio.value >= ratio.reach : ratio.value <= ratio.reach;
}

export function renderFinding(finding: Finding): string {
  const { name, measured, ratio } = finding;
  const facts = Object.entries(measured).map(([key, value]) => `${key} ${toText(value)}`);
  const verdict = isTargetReached(finding) ? 'reached' : 'MISSED';
  const sign = ratio?.better === 'higher' ? '>=' : '<=';
  const promise = ratio ? `${toText(ratio.value)}  (${sign} ${ratio.reach}, ${verdict})` : '';
  return `${name.padEnd(44)} ${promise.padEnd(28)} ${facts.join(', ')}`;
}

function toText(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: Math.abs(value) < 100 ? 2 : 0 });
}
