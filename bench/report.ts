/** A result of a benchmark, as a line of the table. */
export interface Finding {
  readonly name: string;
  /** The medians that the ratio is computed from, or values without a ratio. */
  readonly measured: Readonly<Record<string, number>>;
  /** The value that is compared between runs, and its floor if it has one. */
  readonly ratio?: { readonly value: number; readonly floor?: Floor };
}

/** The worst acceptable value. A value that is better needs no work. */
export type Floor = { readonly min: number } | { readonly max: number };

/** Whether the ratio is at least as good as its floor; null without one. */
export function meetsFloor({ ratio }: Finding): boolean | null {
  if (ratio?.floor === undefined) return null;
  const { value, floor } = ratio;
  return 'min' in floor ? value >= floor.min : value <= floor.max;
}

export function renderFinding(finding: Finding): string {
  const { name, measured, ratio } = finding;
  const facts = Object.entries(measured).map(([key, value]) => `${key} ${toText(value)}`);
  const value = ratio ? toText(ratio.value) : '';
  return `${name.padEnd(44)} ${`${value}${describeFloor(finding)}`.padEnd(28)} ${facts.join(', ')}`;
}

function describeFloor(finding: Finding): string {
  const floor = finding.ratio?.floor;
  if (floor === undefined) return '';
  const verdict = meetsFloor(finding) ? 'met' : 'MISSED';
  return `  (${'min' in floor ? `>= ${floor.min}` : `<= ${floor.max}`}, ${verdict})`;
}

function toText(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: Math.abs(value) < 100 ? 2 : 0 });
}
