/** Suggests event types: those of fixtures and of recent events. */
import { control } from './control.ts';
import { workspaceId } from './session.ts';
import { useQuery } from './use-query.ts';

const RECENT_EVENT_COUNT = 200;

/** Event types in alphabetical order; empty while they are loading. */
export function useEventTypes(): readonly string[] {
  const workspace = workspaceId.value;
  const { value = [] } = useQuery(async () => {
    const [fixtures, events] = await Promise.all([
      control.listFixtures({}),
      control.listEvents({ workspace_id: workspace, limit: RECENT_EVENT_COUNT }),
    ]);
    return [...new Set([...fixtures.data, ...events.data].map(({ type }) => type))].sort();
  }, [workspace]);
  return value;
}
