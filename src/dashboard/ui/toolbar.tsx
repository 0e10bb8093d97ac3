import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { useRovingFocus } from './roving-focus.ts';

interface Props {
  readonly label: string;
  readonly children: ComponentChildren;
}

/** Buttons that are one tab stop, following the ARIA practices. */
export function Toolbar({ label, children }: Props) {
  const toolbar = useRef<HTMLDivElement>(null);
  const { handlers } = useRovingFocus(toolbar, '[role="toolbar"] > button:not(:disabled)');
  return (
    <div ref={toolbar} role="toolbar" aria-label={label} class="row" {...handlers}>
      {children}
    </div>
  );
}
