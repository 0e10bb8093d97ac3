/** The border between a list and the open item. Moves with the mouse, touch or the keyboard, where the two are side by side. */
import { useSignal } from '@preact/signals';
import type { TargetedKeyboardEvent, TargetedPointerEvent } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { changeSettings, DEFAULT_LIST_SHARE, listShareRange, settings, toListShare } from '../settings.ts';

/** Percentage points for an arrow key. */
const STEP = 2;

interface Props {
  /** ID of the list, which is on the left. */
  readonly controls: string;
}

/** Sets `--list-share` of its parent element to the share of the list in the width. */
export function PaneSeparator({ controls }: Props) {
  const separator = useRef<HTMLDivElement>(null);
  /** Saved when the user stops dragging; null otherwise. */
  const draggedShare = useSignal<number | null>(null);
  const share = draggedShare.value ?? settings.value.listShare;
  useLayoutEffect(
    () => separator.current?.parentElement?.style.setProperty('--list-share', `${share}%`),
    [share],
  );
  const onPointerMove = ({ currentTarget, pointerId, clientX }: TargetedPointerEvent<HTMLDivElement>) => {
    const container = currentTarget.parentElement;
    if (container === null || !currentTarget.hasPointerCapture(pointerId)) return;
    const { left, width } = container.getBoundingClientRect();
    draggedShare.value = toListShare((100 * (clientX - left)) / width);
  };
  const stopDragging = () => {
    if (draggedShare.value !== null) changeSettings({ listShare: draggedShare.value });
    draggedShare.value = null;
  };
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLDivElement>) => {
    const target = findTarget(event.key, share);
    if (target === null) return;
    event.preventDefault();
    changeSettings({ listShare: toListShare(target) });
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: `hr` has no value that the user can change.
    <div
      ref={separator}
      class="list-detail-separator"
      role="separator"
      tabIndex={0}
      title="Drag to resize. Double-click to reset."
      aria-label="Width of the list"
      aria-orientation="vertical"
      aria-controls={controls}
      aria-valuenow={share}
      aria-valuemin={listShareRange.min}
      aria-valuemax={listShareRange.max}
      onPointerDown={({ currentTarget, pointerId }) => currentTarget.setPointerCapture(pointerId)}
      onPointerMove={onPointerMove}
      onLostPointerCapture={stopDragging}
      onDblClick={() => changeSettings({ listShare: DEFAULT_LIST_SHARE })}
      onKeyDown={onKeyDown}
    />
  );
}

/** The share that a key selects; null for other keys. */
function findTarget(key: string, share: number): number | null {
  switch (key) {
    case 'ArrowLeft':
      return share - STEP;
    case 'ArrowRight':
      return share + STEP;
    case 'Home':
      return listShareRange.min;
    case 'End':
      return listShareRange.max;
    default:
      return null;
  }
}
