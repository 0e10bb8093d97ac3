/**
 * The gap register: one entry for every question that the service description leaves open, with the answer of the
 * emulator. `resolve-rules.ts` converts the answers to the values that the emulator reads.
 */
import type { ConfigurableGap } from './gap.ts';
import { apiGaps } from './gaps/api-gaps.ts';
import { deliveryGaps } from './gaps/delivery-gaps.ts';
import { resourceGaps } from './gaps/resource-gaps.ts';
import { signatureGaps } from './gaps/signature-gaps.ts';

export const gaps = { ...signatureGaps, ...resourceGaps, ...deliveryGaps, ...apiGaps };

export type GapId = keyof typeof gaps;

export type ConfigurableGapId = {
  [Id in GapId]: (typeof gaps)[Id] extends ConfigurableGap ? Id : never;
}[GapId];

/** The type of each parsed answer. */
export type GapValues = {
  readonly [Id in ConfigurableGapId]: (typeof gaps)[Id] extends ConfigurableGap<infer T> ? T : never;
};

export const gapIds = Object.keys(gaps) as GapId[];
