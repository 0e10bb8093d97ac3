import type { Verification } from '../../contract/deliveries.ts';
import type { Look } from '../io.ts';
import { styleFor } from './style.ts';

/** What verification came to, on one line: `valid  The signature fits, …` or the reason with its detail. */
export function renderVerdict({ ok, reason, detail }: Verification, look: Look): string {
  const style = styleFor(look);
  return `${ok ? style.green('valid') : style.red(String(reason))}  ${detail}`;
}
