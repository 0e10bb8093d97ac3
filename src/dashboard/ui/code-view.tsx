import type { EditorView } from '@codemirror/view';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { route } from '../router.ts';
import { CodeMirrorHost, codeMirror } from './code-mirror-host.tsx';
import { CopyButton } from './copy-button.tsx';
import { Icon } from './icon.tsx';

interface Props {
  /** What the text is, for screen readers. */
  readonly label: string;
  /** JSON, which can be folded, or any other text. */
  readonly text: string;
  /** What the button copies, as in "Copy raw request". */
  readonly what: string;
  readonly title?: ComponentChildren;
  /** Other buttons. */
  readonly children?: ComponentChildren;
}

/** Above this number of lines, a button opens the search. */
const MAX_SCANNED_LINES = 30;

/** Text that can be copied, and searched with Ctrl+F while it has the focus. It never becomes markup. */
export function CodeView({ label, text, what, title, children }: Props) {
  const view = useRef<EditorView>(null);
  const searched = route.value.query.text?.trim() ?? '';
  const openSearch = () => {
    if (view.current !== null) codeMirror.peek()?.openSearchPanel(view.current);
  };
  return (
    <div>
      <header class="row">
        {title}
        <span class="row">
          {text.split('\n', MAX_SCANNED_LINES + 1).length > MAX_SCANNED_LINES && (
            <button
              type="button"
              data-variant="quiet"
              title="Ctrl+F"
              disabled={codeMirror.value === undefined}
              onClick={openSearch}
            >
              <Icon name="search" /> Find
            </button>
          )}
          {children}
          <CopyButton what={what} text={text} />
        </span>
      </header>
      <CodeMirrorHost
        text={text}
        inputs={[label, text, searched]}
        create={({ createTextView }, parent) => {
          view.current = createTextView(parent, { label, text, searched });
          return view.current;
        }}
      />
    </div>
  );
}
