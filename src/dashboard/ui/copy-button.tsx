import { useState } from 'preact/hooks';
import { showToast } from '../toasts.ts';
import { Icon } from './icon.tsx';

interface Props {
  /** What is copied, as in "Copy the id". */
  readonly what: string;
  readonly text: string | (() => string | Promise<string>);
  /** Shown beside the symbol; the symbol alone without it. */
  readonly label?: string;
}

const DONE_MS = 1_500;

export function CopyButton({ what, text, label }: Props) {
  const [isDone, setDone] = useState(false);
  const name = `Copy ${what}`;
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof text === 'string' ? text : await text());
    } catch {
      return showToast(`The browser does not let this page copy ${what}.`, true);
    }
    setDone(true);
    setTimeout(() => setDone(false), DONE_MS);
  };
  return (
    <button
      type="button"
      class="quiet"
      // What is read has to be what is called by its name.
      aria-label={label === undefined || name.includes(label) ? name : label}
      title={name}
      onClick={copy}
    >
      <Icon name={isDone ? 'check' : 'copy'} />
      {label}
      <span class="unseen" role="status">
        {isDone ? 'Copied' : ''}
      </span>
    </button>
  );
}
