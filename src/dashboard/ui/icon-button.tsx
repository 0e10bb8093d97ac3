import type { ButtonHTMLAttributes } from 'preact';
import { Icon, type IconName } from './icon.tsx';

/** A button without a text. `label` says what it does. */
export function IconButton({
  name,
  label,
  ...rest
}: ButtonHTMLAttributes & { name: IconName; label: string }) {
  return (
    <button type="button" data-variant="quiet" aria-label={label} {...rest}>
      <Icon name={name} />
    </button>
  );
}
