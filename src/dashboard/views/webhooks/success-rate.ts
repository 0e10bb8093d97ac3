/** `99.5%`, not rounded to `100%` or `0%` unless all attempts or none succeeded. */
export function formatSuccessRate(succeeded: number, attempts: number): string {
  const percent = (100 * succeeded) / attempts;
  const isNearEnd = (percent > 99 && percent < 100) || (percent > 0 && percent < 1);
  return `${isNearEnd ? percent.toFixed(1) : Math.round(percent)}%`;
}
