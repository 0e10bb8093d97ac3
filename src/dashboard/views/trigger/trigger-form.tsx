import { signal } from '@preact/signals';
import { isSubscribedTo } from '../../../domain/event.ts';
import { toHash } from '../../address.ts';
import { control } from '../../control.ts';
import { MAX_PAGE_SIZE } from '../../live-items.ts';
import { selectWorkspace, status, workspaceId, workspaces } from '../../session.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { connectFields, Field } from '../../ui/field.tsx';
import { JsonEditor } from '../../ui/json-editor.tsx';
import { useJsonProblem } from '../../use-json-problem.ts';
import { useQuery } from '../../use-query.ts';
import { type TriggerInput, toCommand } from './trigger-input.ts';
import { startRun } from './trigger-runs.ts';

const MAX_COUNT = 1000;

/** Drafts survive navigation to another view. */
const drafts = signal<Readonly<Record<string, string | undefined>>>({});
const options = signal({ idempotencyKey: '', count: '1' });

interface Props {
  /** The source of the initial payload: a fixture type, an event ID, or empty. */
  readonly source: string;
  readonly type: string;
  /** The payload before the user edits it. */
  readonly original: string;
  /** Generates new values for the templates of the fixture. */
  readonly onRegenerate: () => void;
}

export function TriggerForm({ source, type, original, onRegenerate }: Props) {
  const payload = drafts.value[source] ?? original;
  const edit = (text: string | undefined) => {
    drafts.value = { ...drafts.value, [source]: text };
  };
  const isJson = useJsonProblem(payload) === null;
  const input = toTriggerInput(type, payload);
  const missing = findMissingInput(input, isJson);
  const submit = (event: Event) => {
    event.preventDefault();
    if (missing === null) void startRun(input);
  };
  return (
    <form class="stack" onSubmit={submit} noValidate>
      <JsonEditor label="Payload" value={payload} onInput={edit} original={original} />
      <OptionFields />
      <div class="row">
        <ActionButton type="submit" class="primary" disabled={missing !== null} title="Ctrl+Enter">
          {input.count > 1 ? `Send ${input.count} events` : 'Send'}
        </ActionButton>
        {missing !== null && <span class="muted">{missing}</span>}
        {source === type && type !== '' && (
          <ActionButton
            title="Generate new values for the fixture"
            onClick={() => {
              edit(undefined);
              onRegenerate();
            }}
          >
            New values
          </ActionButton>
        )}
        {missing === null && (
          <CopyButton
            what="svc command"
            label="Copy as svc command"
            text={() => toCommand(input, status.value?.workspace_id)}
          />
        )}
      </div>
      <SubscribedEndpoints type={type} />
    </form>
  );
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

function OptionFields() {
  const setOptions = (changed: typeof options.value) => {
    options.value = changed;
  };
  const field = connectFields(options.value, setOptions, null);
  return (
    <div class="fields">
      {workspaces.value.length > 1 && (
        <Field
          label="Workspace"
          name="workspace"
          error={null}
          value={workspaceId.value ?? ''}
          onChange={selectWorkspace}
          options={Object.fromEntries(workspaces.value.map(({ id, name }) => [id, name]))}
        />
      )}
      <Field label="Idempotency key" {...field('idempotencyKey')} placeholder="none" />
      <Field label="Count" {...field('count')} inputMode="numeric" />
    </div>
  );
}

/** The endpoints that will receive the event. */
function SubscribedEndpoints({ type }: { readonly type: string }) {
  const { value: workspace } = workspaceId;
  const { value: page } = useQuery(
    () => control.listWebhooks({ workspace_id: workspace, limit: MAX_PAGE_SIZE }),
    [workspace],
    { isPolled: true },
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
  return <p class="muted trigger-receivers">Subscribed endpoints: {urls.join(', ')}</p>;
}
