/** Creates events through the public API: with a fixture or any other type, and an editable payload. */
import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { isSubscribedTo } from '../../../domain/event.ts';
import { compactJson, indentJson } from '../../../domain/json-text.ts';
import type { ControlOutput } from '../../../operations/control-operations.ts';
import { type Route, toHash } from '../../address.ts';
import { control } from '../../control.ts';
import { toFormError } from '../../form-error.ts';
import { updateQuery } from '../../router.ts';
import { status, workspaceId } from '../../session.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { connectFields, Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { JsonEditor } from '../../ui/json-editor.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { useFormSubmit } from '../../use-form-submit.ts';
import { useJsonProblem } from '../../use-json-problem.ts';
import { MAX_PAGE_SIZE } from '../../use-live-list.ts';
import { useQuery } from '../../use-query.ts';
import { EventDeliveryList } from '../events/event-view.tsx';
import { type CreatedEvents, createEvents } from './create-events.ts';
import { type ApiError, type TriggerInput, toCommand } from './trigger-input.ts';

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

const MAX_COUNT = 1000;

/** Drafts survive navigation to another view. */
const drafts = signal<Readonly<Record<string, string | undefined>>>({});
const options = signal({ idempotencyKey: '', count: '1' });

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
  const original = value?.payload ?? '';
  const payload = drafts.value[source] ?? original;
  const edit = (text: string | undefined) => {
    drafts.value = { ...drafts.value, [source]: text };
  };
  const [created, setCreated] = useState<CreatedEvents | null>(null);
  const [abortController, setAbortController] = useState<AbortController | null>(null);
  const input = toTriggerInput(type, payload);
  const missing = findMissingInput(input, useJsonProblem(payload) === null);
  const form = useFormSubmit([], async () => {
    const controller = new AbortController();
    setAbortController(controller);
    setCreated(null);
    const run = { signal: controller.signal, onChange: setCreated };
    await createEvents(withCompactPayload(input), run).finally(() => setAbortController(null));
  });
  const fixture = fixtures.find((candidate) => candidate.type === type);
  const error = created?.error ? toFormError(created.error.message, ['type']) : null;
  const setOptions = (changed: typeof options.value) => {
    options.value = changed;
  };
  const field = connectFields(options.value, setOptions, null);
  return (
    <section class="card stack" aria-label="Event">
      <Form
        form={form}
        action={input.count > 1 ? `Send ${input.count} events` : 'Send'}
        isDisabled={missing !== null}
        buttons={
          <>
            {abortController !== null && input.count > 1 && (
              <button type="button" onClick={() => abortController.abort()}>
                Stop
              </button>
            )}
            {missing !== null && <span class="muted">{missing}</span>}
            {source === type && type !== '' && (
              <button
                type="button"
                title="Generate new values for the fixture"
                onClick={() => [edit(undefined), initial.refetch()]}
              >
                New values
              </button>
            )}
            {missing === null && (
              <CopyButton
                what="svc command"
                label="Copy as svc command"
                text={() => toCommand(withCompactPayload(input), status.value?.workspace_id)}
              />
            )}
          </>
        }
      >
        <Field
          label="Event type"
          name="type"
          error={error}
          hint={fixture === undefined ? '' : describeFixture(fixture)}
          value={type}
          suggestions={fixtures.map((candidate) => candidate.type)}
          placeholder="order.shipped"
          autofocus={type === ''}
          onChange={(selected) => [setCreated(null), updateQuery({ type: selected, event: '' })]}
        />
        <QueryView query={initial} what="the payload">
          {() => (
            <JsonEditor key={source} label="Payload" value={payload} onInput={edit} original={original} />
          )}
        </QueryView>
        <div class="fields">
          <Field label="Idempotency key" {...field('idempotencyKey')} placeholder="none" />
          <Field label="Count" {...field('count')} inputMode="numeric" />
        </div>
        <SubscribedEndpoints type={type} />
      </Form>
      {created !== null && <Result created={created} input={input} />}
    </section>
  );
}

function describeFixture({ source, description, problem }: FixtureSummary): string {
  if (problem !== null) return problem;
  const text = description?.replaceAll('`', '');
  return [source === 'project' && 'Fixture of the project.', text].filter(Boolean).join(' ');
}

interface InitialValues {
  readonly type: string;
  /** JSON text, indented. */
  readonly payload: string;
}

async function loadInitialValues(eventId: string, fixture: string): Promise<InitialValues> {
  if (eventId === '' && fixture === '') return { type: '', payload: '{}' };
  const { type, payload_text: text } =
    eventId === '' ? await control.getFixture({ type: fixture }) : await control.getEvent({ id: eventId });
  return { type, payload: indentJson(text) };
}

/** For an input that is sent, because this takes long for each typed character. */
function withCompactPayload(input: TriggerInput): TriggerInput {
  return { ...input, payload: compactJson(input.payload) };
}

function toTriggerInput(type: string, payload: string): TriggerInput {
  const { idempotencyKey, count } = options.value;
  return { type, payload, workspaceId: workspaceId.value ?? '', idempotencyKey, count: Number(count) };
}

/** Why the form cannot be sent; null when it can. Other errors are left to the API, to show its response. */
function findMissingInput({ type, count }: TriggerInput, isJson: boolean): string | null {
  if (type === '') return 'Enter an event type.';
  if (!isJson) return 'The payload must be a JSON object.';
  const isCount = Number.isInteger(count) && count >= 1 && count <= MAX_COUNT;
  return isCount ? null : `The count must be from 1 to ${MAX_COUNT}.`;
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
      <p class="warning-text">
        No endpoint is subscribed to {type}, so nothing is delivered.{' '}
        <a href={toHash({ section: 'home' })}>Register an endpoint</a>
      </p>
    );
  }
  return <p class="muted">Subscribed endpoints: {urls.join(', ')}</p>;
}

/** What the API responded, and the deliveries of the event. */
function Result({ created, input }: { readonly created: CreatedEvents; readonly input: TriggerInput }) {
  const { ids, replayedCount, error } = created;
  const [id] = ids;
  return (
    <section class="stack" aria-label="Result">
      {error !== null && <ApiErrorAlert error={error} />}
      <p role="status">
        {id !== undefined && ids.length === 1 && (
          <>
            Event{' '}
            <a class="mono" href={toHash({ section: 'events', id })}>
              {id}
            </a>
          </>
        )}
        {ids.length > 1 && (
          <>
            {ids.length} events created.{' '}
            <a href={toHash({ section: 'deliveries', query: { type: input.type } })}>
              All {input.type} deliveries
            </a>
          </>
        )}
        {replayedCount > 0 && ' This idempotency key was used before, so no new event was created.'}
      </p>
      {id !== undefined && ids.length === 1 && <EventDeliveryList eventId={id} />}
    </section>
  );
}

/** An error of the API as a client receives it (§7). */
function ApiErrorAlert({ error: { status, code, message, requestId } }: { readonly error: ApiError }) {
  return (
    <p class="notice failed" role="alert">
      <strong>
        {status} <code>{code}</code>
      </strong>{' '}
      {message}{' '}
      {requestId !== null && <a href={toHash({ section: 'requests', id: requestId })}>Open the request</a>}
    </p>
  );
}
