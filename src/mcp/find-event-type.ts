/** Finds an event type among those that have an example. */
import type { ControlPlane } from '../contract/control-plane.ts';
import { findMistypedType } from '../fixtures/event-fixtures.ts';

interface FoundType {
  readonly hasExample: boolean;
  /** The type that is meant if this one is probably mistyped, otherwise null. */
  readonly closest: string | null;
}

export async function findEventType(type: string, control: ControlPlane): Promise<FoundType> {
  const types = (await control.listFixtures({})).data.map((fixture) => fixture.type);
  const hasExample = types.includes(type);
  return { hasExample, closest: hasExample ? null : findMistypedType(type, types) };
}
