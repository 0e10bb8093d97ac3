/** Operations for built-in fixtures and those of the project. */
import * as v from 'valibot';
import { noInput } from '../fields.ts';
import { FilledFixture, FixtureSummary } from '../fixtures.ts';
import { defineOperations } from '../operation.ts';

export const fixtureOperations = defineOperations({
  listFixtures: {
    method: 'GET',
    path: '/fixtures',
    input: noInput,
    output: v.object({ data: v.array(FixtureSummary) }),
    status: 200,
  },
  getFixture: {
    method: 'GET',
    path: '/fixtures/{type}',
    input: v.strictObject({ type: v.string() }),
    output: FilledFixture,
    status: 200,
    errors: ['usage'],
  },
});
