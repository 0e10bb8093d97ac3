/** Fixtures of events, for who wants to trigger one. */
import * as v from 'valibot';
import { JsonObject } from './fields.ts';

export const FixtureSummary = v.object({
  type: v.string(),
  /** Null where the file cannot be used. */
  description: v.nullable(v.string()),
  /** Why the file cannot be used, in words; null where it can. */
  problem: v.nullable(v.string()),
});

export const FilledFixture = v.object({
  type: v.string(),
  description: v.string(),
  /** With its templates filled, anew each time. */
  payload: JsonObject,
});
