/** Schemas of event fixtures. */
import * as v from 'valibot';

export const FixtureSummary = v.object({
  type: v.string(),
  source: v.picklist(['built_in', 'project']),
  description: v.nullable(v.string()),
  problem: v.nullable(v.string()),
});

export const FilledFixture = v.object({
  type: v.string(),
  description: v.string(),
  payload_text: v.string(),
});
