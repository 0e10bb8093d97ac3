/** What to do next, with the command to copy. */
import type { Hint } from '../../domain/errors.ts';
import { Copyable } from './copy-button.tsx';

export function HintText({ hint: { text, command } }: { readonly hint: Hint }) {
  if (command === undefined) return <>{text}</>;
  return (
    <>
      {text} with: <Copyable what="command" text={command} />
    </>
  );
}
