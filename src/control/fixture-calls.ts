/** Fixtures of the control plane. */
import { eventShelf, findFixture } from '../fixtures/library.ts';
import { filesOf, read } from '../fixtures/shelf.ts';
import { fillTemplates } from '../fixtures/template.ts';
import { notFound } from '../sandbox/access.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { CheckedCalls } from './local.ts';

/** @param folders `fixtures` folders, later ones overriding earlier ones. */
export function createFixtureCalls(
  { mint, workspaces }: Sandbox,
  folders: readonly string[],
): Pick<CheckedCalls, 'listFixtures' | 'getFixture'> {
  const random = mint.randomness('fixtures');
  let sequence = 0;
  return {
    listFixtures: async () => ({
      data: Array.from(filesOf(eventShelf, folders), ([type, file]) => {
        const reading = read(eventShelf, file, folders);
        return 'content' in reading
          ? { type, description: reading.content.description, problem: null }
          : { type, description: null, problem: reading.problems[0]?.message ?? null };
      }),
    }),
    getFixture: async ({ type }) => {
      const fixture = findFixture(type, folders);
      if (fixture === null) throw notFound('fixture', type);
      sequence++;
      const scope = { env: process.env, random, now: workspaces.default.clock.now(), sequence };
      const payload = JSON.parse(fillTemplates(fixture.template, scope));
      return { type, description: fixture.description, payload };
    },
  };
}
