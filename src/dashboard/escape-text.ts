/** Shows the invisible and bidirectional characters in all text of the page as escapes: receivers and clients can send any text. */
import { options } from 'preact';
import { escapeInvisible } from '../domain/invisible-characters.ts';

/** Call before the first render. */
export function escapeTextNodes(): void {
  const { vnode: next } = options;
  options.vnode = (vnode) => {
    // A text node has no type, and its text as properties, which the types of Preact do not say.
    const node: { readonly type: unknown; props: unknown } = vnode;
    if (node.type === null && typeof node.props === 'string') node.props = escapeInvisible(node.props);
    next?.(vnode);
  };
}
