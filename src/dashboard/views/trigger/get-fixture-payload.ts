import { control } from '../../control.ts';

/** JSON text of the payload in the fixture of an event type; `{}` for a type without a valid fixture. */
export async function getFixturePayload(type: string): Promise<string> {
  const { data } = await control.listFixtures({});
  if (!data.some((fixture) => fixture.type === type && fixture.problem === null)) return '{}';
  return (await control.getFixture({ type })).payload_text;
}
