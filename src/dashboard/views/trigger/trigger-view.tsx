/** Creates events through the public API: with a fixture or any other type, and an editable payload. */
import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { isSubscribedTo } from '../../../domain/event.ts';
import { compactJson, indentJson } from '../../../domain/json-text.ts';
import { quoteForShell } from '../../../domain/shell.ts';
import type { ControlOutput } from '../../../operations/control-operations.ts';
import { pickFields } from '../../../resources/define-resource.ts';
import { eventSettings } from '../../../resources/event.ts';
import { type Route, toHash } from '../../address.ts';
import { control } from '../../control.ts';
import { findJsonProblem } from '../../json-problem.ts';
import { updateQuery } from '../../router.ts';
import { status, workspaceId } from '../../session.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { JsonEditor } from '../../ui/json-editor.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Toolbar } from '../../ui/toolbar.tsx';
import { useFormSubmit } from '../../use-form-submit.ts';
import { MAX_PAGE_SIZE } from '../../use-live-list.ts';
import { useQuery } from '../../use-query.ts';
import { EventDeliveryList } from '../events/event-view.tsx';
import { createEvent, type EventInput } from './create-event.ts';
import { getFixturePayload } from './get-fixture-payload.ts';

/** `#/trigger?type=order.shipped` starts with a fixture, `#/trigger?event=evt_…` with an existing event. */
export function TriggerView({ route: { query } }: { readonly route: Route }) {
  const fixtures = useQuery(() => control.listFixtures({}), []);
  return (
    <div class="page">
      <QueryView query={fixtures} what="fixtures">
        {({ data }) => <Trigger fixtures={data} type={query.type ?? ''} eventId={query.event ?? ''} />}
      </QueryView>
    </div>
  );
}

type FixtureSummary = ControlOutput<'listFixtures'>['data'][number];

/** Payloads that were edited. They survive navigation to another view. */
const drafts = signal<Readonly<Record<string, string | undefined>>>({});

interface TriggerProps {
  readonly fixtures: readonly FixtureSummary[];
  readonly type: string;
  /** Empty for none. */
  readonly eventId: string;
}

function Trigger({ fixtures, type, eventId }: TriggerProps) {
  const fixture = fixtures.find((candidate) => candidate.type === type);
  const source = eventId || (fixture?.type ?? '');
  const initial = useQuery(() => loadInitialValues(eventId, source), [source]);
  const { value } = initial;
  useEffect(() => {
    if (type === '' && value !== undefined && value.type !== '') updateQuery({ type: value.type });
  }, [value]);
  const original = value?.payload ?? '';
  const payload = drafts.value[source] ?? original;
  const edit = (text: string) => {
    drafts.value = { ...drafts.value, [source]: text };
  };
  const [createdId, setCreatedId] = useState<string | null>(null);
  const hasProblem = findJsonProblem(payload) !== null;
  const isReady = type !== '' && !hasProblem;
  // Not while the user types, because it takes long.
  const toInput = () => ({
    type,
    payload: compactJson(payload),
    workspaceId: workspaceId.peek() ?? '',
    settings: value?.settings ?? {},
  });
  const select = (selected: string) => [setCreatedId(null), updateQuery({ type: selected, event: '' })];
  const form = useFormSubmit(['type'], async () => {
    setCreatedId(null);
    setCreatedId(await createEvent(toInput()));
  });
  return (
    <section class="card stack" aria-label="Event">
      <Form
        form={form}
        action="Send"
        isDisabled={!isReady}
        buttons={
          isReady && (
            <CopyButton what="svc command" label="Copy as svc command" text={() => toCommand(toInput())} />
          )
        }
      >
        <Field
          label="Event type"
          name="type"
          error={form.error}
          hint={fixture === undefined ? '' : describeFixture(fixture)}
          value={type}
          suggestions={fixtures.map((candidate) => candidate.type)}
          placeholder="order.shipped"
          autofocus={type === ''}
          onChange={select}
        />
        <Toolbar label="Fixtures">
          {fixtures.map(({ type: name }) => (
            <button key={name} type="button" aria-pressed={name === type} onClick={() => select(name)}>
              {name}
            </button>
          ))}
        </Toolbar>
        <QueryView query={initial} what="the payload">
          {() => (
            <JsonEditor key={source} label="Payload" value={payload} onInput={edit} original={original} />
          )}
        </QueryView>
        <SubscribedEndpoints type={type} />
      </Form>
      {createdId !== null && (
        <section class="stack" aria-label="Result">
          <p role="status">
            Event{' '}
            <a href={toHash({ section: 'events', id: createdId })}>
              <code>{createdId}</code>
            </a>
          </p>
          <EventDeliveryList eventId={createdId} />
        </section>
      )}
    </section>
  );
}

function describeFixture({ source, description, problem }: FixtureSummary): string {
  if (problem !== null) return problem;
  const text = description?.replaceAll('`', '');
  return [source === 'project' && 'Fixture of the project.', text].filter(Boolean).join(' ');
}

/** A type, its payload as indented JSON text, and the settings of the event. */
async function loadInitialValues(eventId: string, fixture: string) {
  if (eventId !== '') {
    const { type, payload_text: text, ...others } = await control.getEvent({ id: eventId });
    return { type, payload: indentJson(text), settings: pickFields(eventSettings, others) };
  }
  return { type: fixture, payload: indentJson(await getFixturePayload(fixture)), settings: {} };
}

/** Without `--workspace`, the command uses the default workspace. */
function toCommand({ type, payload, workspaceId }: EventInput): string {
  const workspace = workspaceId === status.peek()?.workspace_id ? [] : ['--workspace', workspaceId];
  return ['svc', 'trigger', type, '--data', payload, ...workspace].map(quoteForShell).join(' ');
}

/** The endpoints that will receive the event. */
function SubscribedEndpoints({ type }: { readonly type: string }) {
  const { value: workspace } = workspaceId;
  const { value: page } = useQuery(
    () => control.listWebhooks({ workspace_id: workspace, limit: MAX_PAGE_SIZE }),
    [workspace],
    { isLive: true },
  );
  if (page === undefined || type === '') return null;
  const urls = page.data
    .filter(({ events, disabled }) => !disabled && isSubscribedTo(events, type))
    .map(({ url }) => url);
  if (urls.length === 0) {
    return (
      <p data-state="pending">
        No enabled endpoint is subscribed to {type}, so nothing is delivered.{' '}
        <a href={toHash({ section: 'home' })}>Register an endpoint</a>
      </p>
    );
  }
  return <p class="muted">Subscribed endpoints: {urls.join(', ')}</p>;
}
