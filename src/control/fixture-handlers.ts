/** Fixtures of the control plane. */

import { eventFixtureKind, findFixture } from '../fixtures/event-fixtures.ts';
import { listFixtureFiles } from '../fixtures/fixture-index.ts';
import { readFixture } from '../fixtures/fixture-kind.ts';
import { fillTemplates } from '../fixtures/template.ts';
import { notFound } from '../sandbox/access.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { ControlHandlers } from './in-process-control-plane.ts';

/** @param folders `fixtures` folders, later ones overriding earlier ones. */
export function createFixtureHandlers(
  { generator, workspaces }: Sandbox,
  folders: readonly string[],
): Pick<ControlHandlers, 'listFixtures' | 'getFixture'> {
  const random = generator.randomSource('fixtures');
  let sequence = 0;
  return {
    listFixtures: async () => ({
      data: listFixtureFiles(folders)
        .filter(({ kind }) => kind === 'event')
        .map(({ name: type, source, file }) => {
          const reading = readFixture(eventFixtureKind, file, folders);
          return 'content' in reading
            ? { type, source, description: reading.content.description, problem: null }
            : { type, source, description: null, problem: reading.problems[0]?.message ?? null };
        }),
    }),
    getFixture: async ({ type }) => {
      const fixture = findFixture(type, folders);
      if (fixture === null) throw notFound('fixture', type);
      sequence++;
      const scope = { env: process.env, random, now: workspaces.default.clock.now(), sequence };
      const { description, template } = fixture;
      return { type, description, payload_text: fillTemplates(template, scope) };
    },
  };
}
