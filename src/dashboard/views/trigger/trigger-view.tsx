/** Creates events through the public API: with a fixture or any other type, and an editable payload. */
import './trigger.css';
import { useEffect } from 'preact/hooks';
import type { ControlOutput } from '../../../contract/control-operations.ts';
import { indentJson } from '../../../domain/json.ts';
import type { Route } from '../../address.ts';
import { control } from '../../control.ts';
import { type FormError, toFormError } from '../../form-error.ts';
import { updateQuery } from '../../router.ts';
import { Field } from '../../ui/field.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { useQuery } from '../../use-query.ts';
import { TriggerForm } from './trigger-form.tsx';
import { TriggerHistory } from './trigger-history.tsx';
import { triggerRuns } from './trigger-runs.ts';

/** `#/trigger?type=order.shipped` starts with a fixture, `#/trigger?event=evt_…` with an existing event. */
export function TriggerView({ route: { query } }: { readonly route: Route }) {
  const fixtures = useQuery(() => control.listFixtures({}), []);
  return (
    <div class="page trigger-page">
      <QueryView query={fixtures} what="fixtures">
        {({ data }) => <Trigger fixtures={data} type={query.type ?? ''} eventId={query.event ?? ''} />}
      </QueryView>
      <TriggerHistory />
    </div>
  );
}

type FixtureSummary = ControlOutput<'listFixtures'>['data'][number];

interface TriggerProps {
  readonly fixtures: readonly FixtureSummary[];
  readonly type: string;
  /** Empty for none. */
  readonly eventId: string;
}

function Trigger({ fixtures, type, eventId }: TriggerProps) {
  const hasFixture = fixtures.some((fixture) => fixture.type === type && fixture.problem === null);
  const source = eventId !== '' ? eventId : hasFixture ? type : '';
  const initial = useQuery(() => loadInitialValues(eventId, source), [source]);
  const { value } = initial;
  useEffect(() => {
    if (type === '' && value !== undefined && value.type !== '') updateQuery({ type: value.type });
  }, [value]);
  const fixture = fixtures.find((candidate) => candidate.type === type);
  return (
    <section
      class="card stack"
      aria-label="Event"
      onKeyDown={({ key, ctrlKey, metaKey, currentTarget }) => {
        if (key === 'Enter' && (ctrlKey || metaKey)) currentTarget.querySelector('form')?.requestSubmit();
      }}
    >
      <Field
        label="Event type"
        name="type"
        error={findError(type)}
        hint={fixture === undefined ? '' : describeFixture(fixture)}
        value={type}
        suggestions={fixtures.map((candidate) => candidate.type)}
        placeholder="order.shipped"
        autofocus={type === ''}
        onChange={(selected) => updateQuery({ type: selected, event: '' })}
      />
      <QueryView query={initial} what="the payload">
        {({ payload }) => (
          <TriggerForm
            key={source}
            source={source}
            type={type}
            original={payload}
            onRegenerate={initial.refetch}
          />
        )}
      </QueryView>
    </section>
  );
}

function describeFixture({ source, description, problem }: FixtureSummary): string {
  if (problem !== null) return problem;
  return [source === 'project' && 'Fixture of the project.', description].filter(Boolean).join(' ');
}

interface InitialValues {
  readonly type: string;
  /** JSON text, indented. */
  readonly payload: string;
}

async function loadInitialValues(eventId: string, fixture: string): Promise<InitialValues> {
  if (eventId !== '') {
    const { type, payload_text: text } = await control.getEvent({ id: eventId });
    return { type, payload: indentJson(text) };
  }
  if (fixture === '') return { type: '', payload: '{}' };
  const { type, payload_text: text } = await control.getFixture({ type: fixture });
  return { type, payload: indentJson(text) };
}

/** The error of the last response, if it was about this type. */
function findError(type: string): FormError | null {
  const { input, error = null } = triggerRuns.value[0] ?? {};
  return error === null || input?.type !== type ? null : toFormError(error.message, ['type']);
}
