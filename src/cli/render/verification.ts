import type { Verification } from '../../contract/delivery-schemas.ts';
import { styleFor } from './style.ts';

/** Renders a verification on one line: `valid  The signature is valid, …` or the reason with its detail. */
export function renderVerification(
  { ok, reason, detail }: Verification,
  capabilities: { readonly color: boolean },
): string {
  const style = styleFor(capabilities);
  return `${ok ? style.green('valid') : style.red(String(reason))}  ${detail}`;
}
