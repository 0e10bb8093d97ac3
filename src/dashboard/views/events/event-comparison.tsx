/** The differences between the payload of an event and another event of its type, or the fixture of the type. */
import { useState } from 'preact/hooks';
import type { EventDetail } from '../../../contract/resources.ts';
import { indentJson } from '../../../domain/json.ts';
import { control } from '../../control.ts';
import { Field } from '../../ui/field.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { TextComparison } from '../../ui/text-comparison.tsx';
import { useQuery } from '../../use-query.ts';

const FIXTURE = 'fixture';
/** Number of other events to choose from. */
const MAX_EVENTS = 20;

export function EventComparison({ event }: { readonly event: EventDetail }) {
  const candidates = useQuery(() => loadCandidates(event), [event.id]);
  const [selected, setSelected] = useState<string>();
  const name = selected ?? Object.keys(candidates.value ?? {})[0];
  const other = useQuery(async () => (name === undefined ? null : loadOther(event.type, name)), [name]);
  return (
    <QueryView query={candidates} what="the events of this type">
      {(options) =>
        name === undefined ? (
          <p class="muted">
            There is no other {event.type} event and no fixture of this type to compare with.
          </p>
        ) : (
          <div class="stack">
            <Field
              label="Compare with"
              name="other"
              error={null}
              value={name}
              onChange={setSelected}
              options={options}
            />
            <QueryView query={other} what="the payload">
              {(left) =>
                left !== null && (
                  <TextComparison
                    title="Payload"
                    left={left}
                    right={{ title: `${event.id} (this event)`, text: indentJson(event.payload_text) }}
                  />
                )
              }
            </QueryView>
          </div>
        )
      }
    </QueryView>
  );
}

/** Titles by the ID of an event, or `fixture`: the newest other events of the same type, then the fixture if there is one. */
async function loadCandidates({ id, type, workspace_id }: EventDetail): Promise<Record<string, string>> {
  const [events, fixtures] = await Promise.all([
    control.listEvents({ workspace_id, type, limit: MAX_EVENTS + 1 }),
    control.listFixtures({}),
  ]);
  const others = events.data.filter((event) => event.id !== id).slice(0, MAX_EVENTS);
  const hasFixture = fixtures.data.some((fixture) => fixture.type === type && fixture.problem === null);
  return {
    ...Object.fromEntries(others.map((event) => [event.id, `${event.id}, created ${event.created_at}`])),
    ...(hasFixture && { [FIXTURE]: `the fixture ${type}` }),
  };
}

async function loadOther(type: string, name: string) {
  const isFixture = name === FIXTURE;
  const { payload_text: text } = await (isFixture
    ? control.getFixture({ type })
    : control.getEvent({ id: name }));
  return { title: isFixture ? `Fixture ${type}` : name, text: indentJson(text) };
}
