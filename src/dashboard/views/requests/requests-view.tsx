/** The request log, and the open request. */
import { maskSecret } from '../../../domain/credentials.ts';
import { formatLatency } from '../../../domain/duration.ts';
import { toCurl } from '../../../domain/shell.ts';
import { type ApiRequest, requestFilters } from '../../../resources/request.ts';
import type { Route } from '../../address.ts';
import { control } from '../../control.ts';
import { pickFilters, toListInput } from '../../filters.ts';
import { status } from '../../session.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { type Choices, FilterButtons } from '../../ui/filter-bar.tsx';
import { LiveListView } from '../../ui/live-list-view.tsx';
import { InjectedFault, StatusIcon, toRequestState } from '../../ui/status-badge.tsx';
import { Time } from '../../ui/time.tsx';
import { MAX_PAGE_SIZE, useLiveList } from '../../use-live-list.ts';
import { useQuery } from '../../use-query.ts';
import { RequestFaults } from '../faults/request-faults.tsx';
import { RequestView } from './request-view.tsx';

const METHODS = ['GET', 'POST', 'PATCH', 'DELETE'];
const STATUSES = ['2xx', '4xx', '5xx', '401', '404', '409', '422', '429', '500', '503'];

/** The keys are selected by ID. */
const { workspace_id: _, api_key_name: __, ...filters } = requestFilters;

/** The log covers the whole emulator: a key may be valid for every workspace, and a request may have none. */
export function RequestsView({ route }: { readonly route: Route }) {
  const filter = pickFilters(filters, route.query);
  const list = useLiveList<ApiRequest>({
    key: JSON.stringify(filter),
    fetchPage: (page) => control.listRequests({ ...toListInput(filters, filter), ...page }),
  });
  return (
    <LiveListView
      route={route}
      list={list}
      label="Request"
      filter={filter}
      filters={filters}
      search={['path', 'Path or part of it']}
      quickFilter={
        <FilterButtons
          name="status"
          label="Status class"
          value={filter.status?.toLowerCase()}
          options={['2xx', '4xx', '5xx']}
        />
      }
      useChoices={useChoices}
      controls={<RequestFaults />}
      columns={['Request', 'Resource', 'Result', 'Real time']}
      renderRow={renderRow}
      empty={<FirstRequest />}
      Detail={RequestView}
    />
  );
}

function useChoices(): Choices {
  const { value: keys } = useQuery(() => control.listKeys({ limit: MAX_PAGE_SIZE }), []);
  return {
    method: METHODS,
    status: STATUSES,
    api_key_id: Object.fromEntries(keys?.data.map(({ id, name }) => [id, name]) ?? []),
  };
}

function renderRow(request: ApiRequest) {
  const { method, path, status, fault, resource_id: resource, duration_ms, at } = request;
  const { error_code: code, error_message: message } = request;
  return (
    <>
      <StatusIcon status={toRequestState(status)} />
      <span title={path}>
        {status === 0 ? 'dropped' : status} {method} {path}
      </span>
      <code>{resource}</code>
      <span>
        {fault !== undefined && <InjectedFault kind={fault.kind} />}{' '}
        {code === null ? (
          formatLatency(duration_ms)
        ) : (
          <span title={message ?? ''}>
            <code data-state="failed">{code}</code> {message}
          </span>
        )}
      </span>
      <Time at={at} clock="wall" isTitled />
    </>
  );
}

function FirstRequest() {
  const { base_url, api_key = '', example_type: type, payload_field = 'payload' } = status.value ?? {};
  const toCommand = (key: string) =>
    toCurl({
      url: `${base_url}/events`,
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ type, [payload_field]: { order_id: 'ord_1' } }),
    });
  return (
    <section class="card stack" aria-label="First request">
      <h2>No requests yet</h2>
      <p class="muted">Each request to the API appears here with its response and what it created or read.</p>
      <pre>{toCommand(maskSecret(api_key))}</pre>
      <div>
        <CopyButton what="command" label="Copy command" text={toCommand(api_key)} variant="primary" />
      </div>
      <p class="muted">The copied command contains the whole API key.</p>
    </section>
  );
}
