/** What to do next, with the command to copy. */
import type { Hint } from '../../domain/errors.ts';
import { CopyButton } from './copy-button.tsx';

export function HintText({ hint: { text, command } }: { readonly hint: Hint }) {
  if (command === undefined) return <>{text}</>;
  return (
    <>
      {text} with:{' '}
      <span class="hint-command">
        <code>{command}</code>
        <CopyButton what="command" text={command} />
      </span>
    </>
  );
}
