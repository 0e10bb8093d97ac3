import { CopyButton } from './copy-button.tsx';

/** A text with a button that copies it. @param what the text is, such as "event ID" */
export function Copyable({ text, what }: { readonly text: string; readonly what: string }) {
  return (
    <span>
      <code>{text}</code> <CopyButton what={what} text={text} />
    </span>
  );
}
