import { control } from '../../control.ts';

/** JSON text of the payload in the fixture of an event type. Your own senders can have an example type without a fixture: `{}`. */
export async function getFixturePayload(type: string): Promise<string> {
  const { data } = await control.listFixtures({});
  if (!data.some((fixture) => fixture.type === type)) return '{}';
  return (await control.getFixture({ type })).payload_text;
}
