/** Symbols that make states distinguishable without color, in the terminal and in the dashboard. */
import type { DisplayStatus } from './delivery.ts';

const PASSED = '✓';
const FAILED = '✗';
const NEUTRAL = '–';

export const deliveryStatusSymbols = {
  pending: '…',
  paused: '‖',
  succeeded: PASSED,
  failed: FAILED,
  canceled: NEUTRAL,
} as const satisfies Record<DisplayStatus, string>;

/** For findings (`svc doctor`, probes) and for checks of a receiver. */
export const checkStatusSymbols = {
  ok: PASSED,
  passed: PASSED,
  warning: '!',
  problem: FAILED,
  failed: FAILED,
  skipped: NEUTRAL,
  not_observable: NEUTRAL,
} as const;
