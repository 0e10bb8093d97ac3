import { signal } from '@preact/signals';
import { isSubscribedTo } from '../../../domain/event.ts';
import { control } from '../../control.ts';
import type { JsonProblem } from '../../json-problem.ts';
import { MAX_PAGE_SIZE } from '../../paged-list.ts';
import { selectWorkspace, status, workspaceId, workspaces } from '../../session.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { JsonEditor } from '../../ui/json-editor.tsx';
import { useJsonProblem } from '../../use-json-problem.ts';
import { useQuery } from '../../use-query.ts';
import { NoSubscribers } from './trigger-history.tsx';
import { type RequestField, type TriggerInput, toCommand } from './trigger-input.ts';
import { startRun } from './trigger-runs.ts';

const MAX_COUNT = 1000;

/** Drafts survive navigation to another view. */
const drafts = signal<Readonly<Record<string, string | undefined>>>({});
const idempotencyKey = signal('');
const count = signal(1);

interface Props {
  /** The source of the initial payload: a fixture type, an event ID, or empty. */
  readonly source: string;
  readonly type: string;
  /** The payload before the user edits it. */
  readonly original: string;
  /** Generates new values for the templates of the fixture. */
  readonly onRegenerate: () => void;
  readonly rejectedField: RequestField | null;
}

export function TriggerForm({ source, type, original, onRegenerate, rejectedField }: Props) {
  const payload = drafts.value[source] ?? original;
  const edit = (text: string) => {
    drafts.value = { ...drafts.value, [source]: text };
  };
  const problem = useJsonProblem(payload);
  const missing = findMissingInput(type, problem);
  const input = missing === null ? toTriggerInput(type, payload) : null;
  const submit = (event: Event) => {
    event.preventDefault();
    if (input !== null) void startRun(input);
  };
  return (
    <form
      class="stack"
      onSubmit={submit}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit();
      }}
    >
      <JsonEditor label="Payload" value={payload} onInput={edit} original={original} />
      <OptionFields rejectedField={rejectedField} />
      <div class="row">
        <ActionButton type="submit" class="primary" disabled={input === null} title="Ctrl+Enter">
          {count.value > 1 ? `Send ${count.value} events` : 'Send'}
        </ActionButton>
        {missing !== null && <span class="muted">{missing}</span>}
        {source === type && type !== '' && (
          <ActionButton
            type="button"
            title="Generate new values for the fixture"
            onClick={() => {
              drafts.value = { ...drafts.value, [source]: undefined };
              onRegenerate();
            }}
          >
            New values
          </ActionButton>
        )}
        {input !== null && (
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

/** Why the form cannot be sent; null when it can. Other errors are left to the API, to show its response. */
function findMissingInput(type: string, problem: JsonProblem | null): string | null {
  if (type === '') return 'Choose or enter an event type.';
  if (problem !== null) return 'The payload must be a JSON object.';
  const isCount = Number.isInteger(count.value) && count.value >= 1 && count.value <= MAX_COUNT;
  return isCount ? null : `The count must be from 1 to ${MAX_COUNT}.`;
}

function toTriggerInput(type: string, payload: string): TriggerInput | null {
  const { value: workspace } = workspaceId;
  if (workspace === undefined) return null;
  return { type, payload, workspaceId: workspace, idempotencyKey: idempotencyKey.value, count: count.value };
}

function OptionFields({ rejectedField }: { readonly rejectedField: RequestField | null }) {
  return (
    <div class="fields">
      {workspaces.value.length > 1 && (
        <label>
          Workspace
          <select
            value={workspaceId.value}
            onChange={({ currentTarget: { value } }) => selectWorkspace(value)}
          >
            {workspaces.value.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
      <label>
        Idempotency key
        <input
          value={idempotencyKey.value}
          placeholder="none"
          autocomplete="off"
          spellcheck={false}
          // Characters that a browser can send in a header.
          pattern="[\x21-\x7e]{1,255}"
          title="1 to 255 visible ASCII characters"
          aria-invalid={rejectedField === 'key'}
          onInput={({ currentTarget: { value } }) => {
            idempotencyKey.value = value;
          }}
        />
      </label>
      <label>
        Count
        <input
          type="number"
          min="1"
          max={MAX_COUNT}
          required
          value={count.value}
          onInput={({ currentTarget: { valueAsNumber } }) => {
            count.value = valueAsNumber;
          }}
        />
      </label>
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
  if (urls.length === 0) return <NoSubscribers type={type} />;
  return <p class="muted trigger-receivers">Subscribed endpoints: {urls.join(', ')}</p>;
}
