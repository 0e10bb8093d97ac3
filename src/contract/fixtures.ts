/** Fixtures of events, for who wants to trigger one. */
import * as v from 'valibot';

export const FixtureSummary = v.object({
  type: v.string(),
  /** A file of the project may stand in the place of a built-in one. */
  source: v.picklist(['built_in', 'project']),
  /** Null where the file cannot be used. */
  description: v.nullable(v.string()),
  /** Why the file cannot be used, in words; null where it can. */
  problem: v.nullable(v.string()),
});

export const FilledFixture = v.object({
  type: v.string(),
  description: v.string(),
  /** JSON text with its templates filled, anew each time; numbers are as the fixture writes them. */
  payload_text: v.string(),
});
