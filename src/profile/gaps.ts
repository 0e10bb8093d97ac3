/**
 * The gap register: one record for every question that the service description leaves open, with the answer that
 * the emulator gives. `resolve.ts` turns the answers into plain values once, at boot; nothing else asks the register.
 */
import type { OpenGap } from './gap.ts';
import { apiGaps } from './gaps/api.ts';
import { deliveryGaps } from './gaps/deliveries.ts';
import { resourceGaps } from './gaps/resources.ts';
import { signatureGaps } from './gaps/signature.ts';

export const gaps = { ...signatureGaps, ...resourceGaps, ...deliveryGaps, ...apiGaps };

export type GapId = keyof typeof gaps;

/** The rows that configuration can answer. */
export type OpenGapId = { [Id in GapId]: (typeof gaps)[Id] extends OpenGap ? Id : never }[GapId];

/** What each answer is read as. */
export type Answers = {
  readonly [Id in OpenGapId]: (typeof gaps)[Id] extends OpenGap<infer T> ? T : never;
};

export const gapIds = Object.keys(gaps) as GapId[];
