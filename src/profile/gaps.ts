/**
 * The gap register: one record for every question that the service description leaves open, with the answer that
 * the emulator gives. `resolve.ts` turns the answers into plain values once, at boot; nothing else asks the register.
 */
import type { ConfigurableGap } from './gap.ts';
import { apiGaps } from './gaps/api-gaps.ts';
import { deliveryGaps } from './gaps/delivery-gaps.ts';
import { resourceGaps } from './gaps/resource-gaps.ts';
import { signatureGaps } from './gaps/signature-gaps.ts';

export const gaps = { ...signatureGaps, ...resourceGaps, ...deliveryGaps, ...apiGaps };

export type GapId = keyof typeof gaps;

/** The rows that configuration can answer. */
export type ConfigurableGapId = {
  [Id in GapId]: (typeof gaps)[Id] extends ConfigurableGap ? Id : never;
}[GapId];

/** What each answer is read as. */
export type GapValues = {
  readonly [Id in ConfigurableGapId]: (typeof gaps)[Id] extends ConfigurableGap<infer T> ? T : never;
};

export const gapIds = Object.keys(gaps) as GapId[];
