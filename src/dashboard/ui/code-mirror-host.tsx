/** The element of a CodeMirror view, which loads CodeMirror when it is first shown. */
import { signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

type CodeMirror = typeof import('./code-mirror.ts');

/** Undefined until it is loaded. */
export const codeMirror = signal<CodeMirror | undefined>(undefined);

/** If the emulator has stopped, the text stays plain until the page is loaded again. */
async function loadCodeMirror(): Promise<void> {
  codeMirror.value ??= await import('./code-mirror.ts').catch(() => undefined);
}

interface Props {
  /** Shown until CodeMirror is loaded. */
  readonly text: string;
  readonly create: (codeMirror: CodeMirror, parent: ShadowRoot) => { destroy(): void };
  /** The values that `create` reads. When one changes, the view is created again. */
  readonly inputs: readonly unknown[];
}

export function CodeMirrorHost({ text, create, inputs }: Props) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => void loadCodeMirror(), []);
  const { value: loaded } = codeMirror;
  useLayoutEffect(() => {
    if (loaded === undefined || element.current === null) return;
    // The content security policy lets a shadow tree have constructed style sheets, but the page no style elements.
    const root = element.current.shadowRoot ?? element.current.attachShadow({ mode: 'open' });
    const view = create(loaded, root);
    return () => view.destroy();
  }, [loaded, ...inputs]);
  if (loaded === undefined) return <pre>{text}</pre>;
  return <div ref={element} />;
}
