import { useState } from 'preact/hooks';
import { showErrorToast, withErrorToast } from '../toasts.ts';
import { Icon } from './icon.tsx';

interface Props {
  /** What is copied, as in "Copy event ID". */
  readonly what: string;
  readonly text: string | (() => string | Promise<string>);
  /** Text next to the icon; without it only the icon is shown. */
  readonly label?: string;
  readonly variant?: 'primary' | 'quiet';
}

const COPIED_SHOWN_MS = 1_500;

export function CopyButton({ what, text, label, variant = 'quiet' }: Props) {
  const [isCopied, setCopied] = useState(false);
  const name = `Copy ${what}`;
  const copy = async () => {
    const value = typeof text === 'string' ? text : await withErrorToast(Promise.resolve(text()));
    if (value === undefined) return;
    try {
      await navigator.clipboard.writeText(value);
    } catch {
      return showErrorToast(`Could not copy the ${what}: the browser blocked access to the clipboard.`);
    }
    setCopied(true);
    setTimeout(() => setCopied(false), COPIED_SHOWN_MS);
  };
  return (
    <button
      type="button"
      data-variant={variant}
      // The accessible name must contain the visible label (WCAG 2.5.3).
      aria-label={label === undefined || name.includes(label) ? name : label}
      title={name}
      onClick={copy}
    >
      <Icon name={isCopied ? 'check' : 'copy'} />
      {label}
      <span class="hidden" role="status">
        {isCopied ? 'Copied' : ''}
      </span>
    </button>
  );
}

/** A text with a button that copies it. @param what the text is, such as "event ID" */
export function Copyable({ text, what }: { readonly text: string; readonly what: string }) {
  return (
    <span>
      <code>{text}</code> <CopyButton what={what} text={text} />
    </span>
  );
}
