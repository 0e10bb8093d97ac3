import type { Workspace } from '../../contract/resources.ts';
import { formatRelative } from '../../domain/relative-time.ts';
import type { Column } from './table.ts';

export function workspaceColumns(now: number): readonly Column<Workspace>[] {
  return [
    { title: 'ID', value: ({ id }) => id },
    { title: 'NAME', value: ({ name }) => name, canTruncate: true },
    { title: 'ENVIRONMENT', value: ({ environment }) => environment, hideOrder: 2 },
    { title: 'CREATED', value: ({ created_at: at }) => formatRelative(at, now), hideOrder: 1 },
  ];
}
