import type { ApiKey } from '../../contract/resources.ts';
import { formatRelative } from '../../domain/relative-time.ts';
import type { Column } from './table.ts';

export function keyColumns(now: number): readonly Column<ApiKey>[] {
  return [
    { title: 'ID', value: ({ id }) => id },
    { title: 'KEY', value: ({ last4 }) => `…${last4}` },
    { title: 'SCOPES', value: ({ scopes }) => scopes.join(','), hideOrder: 3, canTruncate: true },
    { title: 'WORKSPACE', value: ({ workspace_id: id }) => id ?? 'every one', hideOrder: 2 },
    { title: 'CREATED', value: ({ created_at: at }) => formatRelative(at, now), hideOrder: 1 },
    { title: 'REVOKED', value: ({ revoked_at: at }) => (at ? formatRelative(at, now) : '') },
  ];
}
