import type { Fault } from '../../contract/faults.ts';
import { describeEffect, describeFirings, describeTarget } from '../../control/fault-account.ts';
import type { Column } from './table.ts';

export const faultColumns: readonly Column<Fault>[] = [
  { title: 'ID', value: ({ id }) => id },
  { title: 'FAULT', value: describeEffect },
  { title: 'ON', value: describeTarget, leaves: 2, shrinks: true },
  { title: 'FIRED', value: describeFirings },
  { title: 'WORKSPACE', value: ({ workspace_id: id }) => id ?? 'every one', leaves: 1 },
];
