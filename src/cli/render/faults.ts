import type { Fault } from '../../contract/fault-schemas.ts';
import { describeEffect, describeFirings, describeTarget } from '../../control/describe-fault.ts';
import type { Column } from './table.ts';

export const faultColumns: readonly Column<Fault>[] = [
  { title: 'ID', value: ({ id }) => id },
  { title: 'FAULT', value: describeEffect },
  { title: 'ON', value: describeTarget, hideOrder: 2, canTruncate: true },
  { title: 'FIRED', value: describeFirings },
  { title: 'WORKSPACE', value: ({ workspace_id: id }) => id ?? 'every one', hideOrder: 1 },
];
