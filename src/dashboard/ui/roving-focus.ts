/** Makes a group of links or buttons one tab stop, in which the arrow keys move the focus. */
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

const STEPS: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowRight: 1,
  ArrowUp: -1,
  ArrowLeft: -1,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};

/**
 * @param selector the elements of the group that can have the focus
 * @param onMove called with the element that a key has moved the focus to
 */
export function useRovingFocus(
  group: RefObject<HTMLElement | null>,
  selector: string,
  onMove?: (element: HTMLElement) => void,
) {
  const last = useRef<EventTarget | null>(null);
  const list = () => [...(group.current?.querySelectorAll<HTMLElement>(selector) ?? [])];
  const findCurrent = (elements: readonly HTMLElement[]) =>
    elements.find((element) => element === last.current) ??
    elements.find(({ ariaCurrent }) => ariaCurrent === 'true');
  const update = () => {
    const elements = list();
    const current = findCurrent(elements) ?? elements[0];
    for (const element of elements) element.tabIndex = element === current ? 0 : -1;
  };
  useLayoutEffect(update);
  const move = (step: number) => {
    const elements = list();
    const current = findCurrent(elements);
    // Without a current element, the first one gets the focus.
    const index = current === undefined ? 0 : elements.indexOf(current) + step;
    const target = elements[Math.max(0, Math.min(elements.length - 1, index))];
    target?.focus();
    if (target !== undefined) onMove?.(target);
  };
  return {
    move,
    handlers: {
      onFocusIn: ({ target }: FocusEvent) => {
        if (!(target instanceof Element && target.matches(selector))) return;
        last.current = target;
        update();
      },
      onKeyDown: (event: KeyboardEvent) => {
        const step = STEPS[event.key];
        const isInGroup = event.target instanceof Element && event.target.matches(selector);
        if (step === undefined || !isInGroup || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        move(step);
      },
    },
  };
}
