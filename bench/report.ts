/** What a benchmark found, as lines of the table. */
export interface Finding {
  readonly name: string;
  /** The medians that the ratio is made of, or facts without one. */
  readonly measured: Readonly<Record<string, number>>;
  /** Against what the issue or the description of the product promises; left out where nothing is promised. */
  readonly ratio?: { readonly value: number; readonly reach: number; readonly better: 'higher' | 'lower' };
}

/** Whether the ratio is as good as what is to be reached; null where nothing is. */
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
