/** Creating events: of a type that has a fixture or any other, with a payload to edit, through the public API. */
import './trigger.css';
import { useEffect } from 'preact/hooks';
import { indentJson } from '../../../domain/json-text.ts';
import type { Route } from '../../address.ts';
import { useAsked } from '../../asked.ts';
import { control } from '../../control.ts';
import { refine } from '../../router.ts';
import { status } from '../../session.ts';
import { Answer } from '../../ui/state.tsx';
import { type Field, findField } from './order.ts';
import { sendings } from './sendings.ts';
import { Sent } from './sent.tsx';
import { TriggerForm } from './trigger-form.tsx';
import { type FixtureSummary, TypeChoice } from './type-choice.tsx';

/** `#/trigger?type=order.shipped` begins with a fixture, `#/trigger?event=evt_…` with an event that there is. */
export function TriggerView({ route: { query } }: { readonly route: Route }) {
  const fixtures = useAsked(() => control.listFixtures({}), []);
  return (
    <div class="page trigger-page">
      <Answer asked={fixtures} what="fixtures">
        {({ data }) => <Trigger fixtures={data} type={query.type ?? ''} eventId={query.event ?? ''} />}
      </Answer>
      <Sent />
    </div>
  );
}

interface TriggerProps {
  readonly fixtures: readonly FixtureSummary[];
  readonly type: string;
  /** Empty for none. */
  readonly eventId: string;
}

function Trigger({ fixtures, type, eventId }: TriggerProps) {
  const hasFixture = fixtures.some((each) => each.type === type && each.problem === null);
  const source = eventId !== '' ? eventId : hasFixture ? type : '';
  const start = useAsked(() => findStart(eventId, source), [source]);
  const refused = findRefused(type);
  const { value } = start;
  useEffect(() => {
    if (type === '' && value !== undefined && value.type !== '') refine({ type: value.type });
  }, [value]);
  return (
    <div class="trigger">
      <section class="card" aria-label="Type">
        <TypeChoice
          fixtures={fixtures}
          type={type}
          isRefused={refused === 'type'}
          onChoose={(chosen) => refine({ type: chosen, event: '' })}
        />
      </section>
      <section class="card" aria-label="Event">
        <Answer asked={start} what="the payload">
          {({ payload }) => (
            <TriggerForm
              key={source}
              source={source}
              type={type}
              original={payload}
              onRenew={start.again}
              refused={refused}
            />
          )}
        </Answer>
      </section>
    </div>
  );
}

interface Start {
  readonly type: string;
  /** JSON text, indented. */
  readonly payload: string;
}

async function findStart(eventId: string, fixture: string): Promise<Start> {
  if (eventId !== '') {
    const { type, payload_text: text } = await control.getEvent({ id: eventId });
    return { type, payload: indentJson(text) };
  }
  if (fixture === '') return { type: '', payload: '{}' };
  const { type, payload_text: text } = await control.getFixture({ type: fixture });
  return { type, payload: indentJson(text) };
}

/** The field that the last answer refused; null when it refused none, or was about another type. */
function findRefused(type: string): Field | null {
  const { order, refusal = null } = sendings.value[0] ?? {};
  if (refusal === null || order?.type !== type) return null;
  return findField(refusal.message, status.value?.payload_member ?? 'payload');
}
