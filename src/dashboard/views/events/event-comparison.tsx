/** The differences between the payload of an event and another event of its type, or the fixture of the type. */
import { useId, useState } from 'preact/hooks';
import type { EventDetail } from '../../../contract/resources.ts';
import { indentJson } from '../../../domain/json.ts';
import { control } from '../../control.ts';
import { QueryView } from '../../ui/query-view.tsx';
import { TextComparison } from '../../ui/text-comparison.tsx';
import { useQuery } from '../../use-query.ts';

const FIXTURE = 'fixture';
/** Number of other events to choose from. */
const MAX_EVENTS = 20;

interface Candidate {
  /** The ID of an event, or `fixture`. */
  readonly name: string;
  readonly title: string;
}

export function EventComparison({ event }: { readonly event: EventDetail }) {
  const candidates = useQuery(() => loadCandidates(event), [event.id]);
  return (
    <QueryView query={candidates} what="the events of this type">
      {(candidates) =>
        candidates.length === 0 ? (
          <p class="muted">
            There is no other {event.type} event and no fixture of this type to compare with.
          </p>
        ) : (
          <ComparisonWith event={event} candidates={candidates} />
        )
      }
    </QueryView>
  );
}

interface ComparisonProps {
  readonly event: EventDetail;
  readonly candidates: readonly Candidate[];
}

function ComparisonWith({ event, candidates }: ComparisonProps) {
  const id = useId();
  const [name, setName] = useState(candidates[0]?.name ?? FIXTURE);
  const other = useQuery(() => loadOther(event.type, name), [name]);
  return (
    <div class="stack">
      <div class="row">
        <label for={id}>Compare with</label>
        <select id={id} value={name} onChange={({ currentTarget }) => setName(currentTarget.value)}>
          {candidates.map((candidate) => (
            <option key={candidate.name} value={candidate.name}>
              {candidate.title}
            </option>
          ))}
        </select>
      </div>
      <QueryView query={other} what="the payload">
        {(left) => (
          <TextComparison
            key={left.title}
            title="Payload"
            left={left}
            right={{ title: `${event.id} (this event)`, text: indentJson(event.payload_text) }}
          />
        )}
      </QueryView>
    </div>
  );
}

/** The newest other events of the same type, then the fixture if there is one. */
async function loadCandidates({ id, type, workspace_id }: EventDetail): Promise<Candidate[]> {
  const [events, fixtures] = await Promise.all([
    control.listEvents({ workspace_id, type, limit: MAX_EVENTS + 1 }),
    control.listFixtures({}),
  ]);
  const others = events.data.filter((event) => event.id !== id).slice(0, MAX_EVENTS);
  const hasFixture = fixtures.data.some((fixture) => fixture.type === type && fixture.problem === null);
  return [
    ...others.map((event) => ({ name: event.id, title: `${event.id}, created ${event.created_at}` })),
    ...(hasFixture ? [{ name: FIXTURE, title: `the fixture ${type}` }] : []),
  ];
}

async function loadOther(type: string, name: string) {
  if (name === FIXTURE) {
    const { payload_text: text } = await control.getFixture({ type });
    return { title: `Fixture ${type}`, text: indentJson(text) };
  }
  const { id, payload_text: text } = await control.getEvent({ id: name });
  return { title: id, text: indentJson(text) };
}
