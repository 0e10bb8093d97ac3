/** Fixtures of the control plane. */
import { listFiles } from '../fixtures/inventory.ts';
import { eventShelf, findFixture } from '../fixtures/library.ts';
import { read } from '../fixtures/shelf.ts';
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
      data: listFiles(folders)
        .filter(({ kind }) => kind === 'event')
        .map(({ name: type, source, file }) => {
          const reading = read(eventShelf, file, folders);
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
