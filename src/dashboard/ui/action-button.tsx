import type { ButtonHTMLAttributes } from 'preact';
import { isLost } from '../control.ts';

/** A button that needs the emulator. It is disabled while the connection is lost. */
export function ActionButton({ disabled, ...rest }: ButtonHTMLAttributes) {
  return <button type="button" {...rest} disabled={disabled === true || isLost.value} />;
}
