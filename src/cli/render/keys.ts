import type { ApiKey } from '../../contract/resources.ts';
import { formatRelative } from '../../domain/relative-time.ts';
import type { Column } from './table.ts';

export function keyColumns(now: number): readonly Column<ApiKey>[] {
  return [
    { title: 'ID', value: ({ id }) => id },
    { title: 'KEY', value: ({ last4 }) => `…${last4}` },
    { title: 'SCOPES', value: ({ scopes }) => scopes.join(','), leaves: 3, shrinks: true },
    { title: 'WORKSPACE', value: ({ workspace_id: id }) => id ?? 'every one', leaves: 2 },
    { title: 'CREATED', value: ({ created_at: at }) => formatRelative(at, now), leaves: 1 },
    { title: 'REVOKED', value: ({ revoked_at: at }) => (at ? formatRelative(at, now) : '') },
  ];
}
