/** The replay dialogs: for one delivery, or for all that a filter selects. */
import { ActionButton } from '../../ui/action-button.tsx';
import './replay.css';
import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import type { Delivery, DeliveryDetail } from '../../../contract/delivery-schemas.ts';
import { getDisplayStatus } from '../../../domain/delivery.ts';
import { indentJson } from '../../../domain/json.ts';
import { control } from '../../control.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { JsonEditor } from '../../ui/json-editor.tsx';
import { Properties } from '../../ui/properties.tsx';
import { EmptyState, QueryView } from '../../ui/query-view.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { useJsonProblem } from '../../use-json-problem.ts';
import { useQuery } from '../../use-query.ts';
import { BulkReplayForm } from './bulk-replay-form.tsx';
import { defaultOptions, isUrlValid, type ReplayOptions, toReplayChanges } from './replay-options.ts';
import { ReplayOptionsForm } from './replay-options-form.tsx';
import { ReplayProgress, useReplay } from './replay-progress.tsx';
import type { DeliverySelection } from './use-bulk-replay.ts';

/** Rendered once, by the list of deliveries. It closes when the list is left. */
export function ReplayDialog() {
  const request = replayRequest.value;
  const close = () => {
    replayRequest.value = null;
  };
  useEffect(() => close, []);
  if (request === null) return null;
  if ('filter' in request) {
    return (
      <Dialog title="Replay all matches" onClose={close}>
        <BulkReplayForm filter={request.filter} onClose={close} />
      </Dialog>
    );
  }
  return (
    <Dialog title="Replay" onClose={close}>
      <ReplayForm key={request.delivery.id} delivery={request.delivery} onClose={close} />
    </Dialog>
  );
}

interface Props {
  readonly delivery: Delivery;
  readonly onClose: () => void;
}

function ReplayForm({ delivery, onClose }: Props) {
  const [options, setOptions] = useState(defaultOptions);
  const bodyProblem = useJsonProblem(options.body ?? '{}');
  const { state, send } = useReplay(delivery.id);
  const isInProgress = state.step === 'requested' || state.step === 'waiting';
  const submit = (event: Event) => {
    event.preventDefault();
    void send(toReplayChanges(options));
  };
  return (
    <form class="stack" onSubmit={submit} noValidate>
      <Properties
        items={{
          Delivery: (
            <>
              <StatusBadge status={getDisplayStatus(delivery)} /> {delivery.event_type}{' '}
              <code>{delivery.id}</code>
            </>
          ),
          Endpoint: delivery.url,
        }}
      />
      <ReplayOptionsForm options={options} onChange={setOptions} url={delivery.url}>
        <BodyOption id={delivery.id} options={options} onChange={setOptions} />
      </ReplayOptionsForm>
      <div class="row replay-actions">
        {/* Focused, so that Enter starts the replay. */}
        <ActionButton
          type="submit"
          class="primary"
          autofocus
          disabled={isInProgress || !isUrlValid(options) || bodyProblem !== null}
        >
          <Icon name="replay" /> {state.step === 'finished' ? 'Replay again' : 'Replay'}
        </ActionButton>
        <ReplayProgress state={state} onLeave={onClose} />
      </div>
    </form>
  );
}

interface BodyOptionProps {
  readonly id: string;
  readonly options: ReplayOptions;
  readonly onChange: (options: ReplayOptions) => void;
}

function BodyOption({ id, options, onChange }: BodyOptionProps) {
  const [isEdited, setEdited] = useState(false);
  const open = (checked: boolean) => {
    setEdited(checked);
    onChange({ ...options, isNew: checked || options.isNew, body: null });
  };
  const isOpen = isEdited && options.isNew;
  return (
    <>
      <label class="check">
        <input type="checkbox" checked={isOpen} onChange={(event) => open(event.currentTarget.checked)} />
        <span>With a different body</span>
      </label>
      {isOpen && (
        <BodyEditor id={id} body={options.body} onInput={(body) => onChange({ ...options, body })} />
      )}
    </>
  );
}

interface BodyEditorProps {
  readonly id: string;
  readonly body: string | null;
  readonly onInput: (body: string) => void;
}

/** Starts with the original body. Without edits, the exact bytes are sent again. */
function BodyEditor({ id, body, onInput }: BodyEditorProps) {
  const query = useQuery(async () => {
    const sentBody = findSentBody(await control.getDelivery({ id }));
    return { original: sentBody === undefined ? null : indentJson(sentBody) };
  }, [id]);
  return (
    <QueryView query={query} what="the body">
      {({ original }) =>
        original === null ? (
          <EmptyState>The delivery has not been sent yet, so it has no body to edit.</EmptyState>
        ) : (
          <JsonEditor label="Body" value={body ?? original} original={original} onInput={onInput} />
        )
      }
    </QueryView>
  );
}

/** The body of the latest attempt without a fault, because a fault can change the body; otherwise of the latest attempt. */
function findSentBody({ attempts }: DeliveryDetail): string | undefined {
  return (attempts.findLast(({ fault }) => fault === undefined) ?? attempts.at(-1))?.request.body;
}

type ReplayRequest = { readonly delivery: Delivery } | { readonly filter: DeliverySelection };

const replayRequest = signal<ReplayRequest | null>(null);

export function openReplayDialog(delivery: Delivery): void {
  replayRequest.value = { delivery };
}

export function openBulkReplayDialog(filter: DeliverySelection): void {
  replayRequest.value = { filter };
}
