import type { EditorView } from '@codemirror/view';
import { useRef } from 'preact/hooks';
import { CodeMirrorHost, codeMirror } from './code-mirror-host.tsx';
import { Icon } from './icon.tsx';

interface Props {
  /** What the text is, for screen readers. */
  readonly label: string;
  /** JSON, which can be folded, or any other text. */
  readonly text: string;
}

/** Above this number of lines, a button opens the search. */
const MAX_SCANNED_LINES = 30;

/** Text that can be searched with Ctrl+F while it has the focus. It never becomes markup. */
export function CodeView({ label, text }: Props) {
  const view = useRef<EditorView>(null);
  const openSearch = () => {
    if (view.current !== null) codeMirror.peek()?.openSearchPanel(view.current);
  };
  return (
    <div class="code-view">
      {text.split('\n', MAX_SCANNED_LINES + 1).length > MAX_SCANNED_LINES && (
        <button type="button" class="subtle" title="Ctrl+F" onClick={openSearch}>
          <Icon name="search" /> Find
        </button>
      )}
      <CodeMirrorHost
        text={text}
        inputs={[label, text]}
        create={({ createTextView }, parent) => {
          view.current = createTextView(parent, { label, text });
          return view.current;
        }}
      />
    </div>
  );
}
