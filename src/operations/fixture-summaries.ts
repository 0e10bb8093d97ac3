/** Schemas of fixtures, as the control plane lists and fills them. */
import * as v from 'valibot';
import { described, resource, StoredEventType } from '../resources/values.ts';

const fixtureType = { type: described('Event type.', StoredEventType) };

export const FixtureSummary = resource('A fixture, which is a sample payload for an event type.', {
  ...fixtureType,
  source: described(
    'Where the fixture comes from. A fixture of the project replaces a built-in one.',
    v.picklist(['built_in', 'project']),
  ),
  description: described(
    'Description of the event type. `null` if the file is invalid.',
    v.nullable(v.string()),
  ),
  problem: described('Why the file is invalid. `null` if it is valid.', v.nullable(v.string())),
});

export const FilledFixture = resource('A payload that was created from a fixture.', {
  ...fixtureType,
  description: described('Description of the event type.', v.string()),
  payload_text: described(
    'Payload as JSON text, in which templates are replaced by new values. Numbers are written as in the fixture.',
    v.string(),
  ),
});
