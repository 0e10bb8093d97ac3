/** The request log, and the open request. */
import type { ApiRequest } from '../../../contract/resources.ts';
import { formatLatency } from '../../../domain/duration.ts';
import type { Route } from '../../address.ts';
import { control } from '../../control.ts';
import { MAX_PAGE_SIZE } from '../../live-items.ts';
import { selectedClock } from '../../schedule-clock.ts';
import { status } from '../../session.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { FilterButtons, FilterInput, FilterSelect, RECENT_PERIODS } from '../../ui/filter-bar.tsx';
import { LiveListView } from '../../ui/live-list-view.tsx';
import { EmptyState } from '../../ui/query-view.tsx';
import { HttpStatusIcon, InjectedFault } from '../../ui/status-badge.tsx';
import { Time } from '../../ui/time.tsx';
import { pickFilters, toListInput } from '../../url-filter.ts';
import { useLiveList } from '../../use-live-list.ts';
import { useQuery } from '../../use-query.ts';
import { RequestFaults } from '../faults/request-faults.tsx';
import { matchesFilter, type RequestFilter, requestFields } from './request-filter.ts';
import { RequestView } from './request-view.tsx';

const METHODS = ['GET', 'POST', 'PATCH', 'DELETE'];
const STATUSES = ['2xx', '4xx', '5xx', '401', '404', '409', '422', '429', '500', '503'];

/** The log covers the whole emulator: a key may be valid for every workspace, and a request may have none. */
export function RequestsView({ route }: { readonly route: Route }) {
  const filter = pickFilters(requestFields, route.query);
  const list = useLiveList<ApiRequest>({
    key: JSON.stringify(filter),
    fetchPage: (page) => control.listRequests({ ...toListInput(requestFields, filter), ...page }),
    onItems: (items, list) => {
      const now = selectedClock.peek().wallNow.peek() ?? 0;
      const updates = items.flatMap((item) =>
        item.type === 'request'
          ? [{ item: item.request, matches: matchesFilter(filter, item.request, now) }]
          : [],
      );
      if (updates.length > 0) list.applyUpdates(updates);
    },
  });
  return (
    <LiveListView
      route={route}
      list={list}
      label="Request"
      filter={filter}
      filterNames={Object.keys(requestFields)}
      search={{ name: 'path', label: 'Path', placeholder: 'Path or part of it' }}
      clock="real time"
      quickFilter={
        <FilterButtons
          name="status"
          label="Status class"
          value={filter.status?.toLowerCase()}
          options={['2xx', '4xx', '5xx']}
        />
      }
      statusHint="a status such as 404, or a class such as 4xx"
      fields={<FilterFields filter={filter} />}
      controls={<RequestFaults />}
      renderRow={renderRow}
      empty={<NoRequestsYet />}
      Detail={RequestView}
    />
  );
}

function FilterFields({ filter }: { readonly filter: RequestFilter }) {
  const { value: keys } = useQuery(() => control.listKeys({ limit: MAX_PAGE_SIZE }), []);
  return (
    <>
      <FilterSelect name="method" label="Method" value={filter.method}>
        {METHODS.map((method) => (
          <option key={method}>{method}</option>
        ))}
      </FilterSelect>
      <FilterInput name="status" label="Status" value={filter.status} suggestions={STATUSES} />
      <FilterSelect name="api_key_id" label="API key" value={filter.api_key_id}>
        {keys?.data.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </FilterSelect>
      <FilterInput name="since" label="Since" value={filter.since} suggestions={RECENT_PERIODS} />
    </>
  );
}

function renderRow(request: ApiRequest) {
  const { method, path, status, fault, resource_id: resource, duration_ms, at } = request;
  const { error_code: code, error_message: message } = request;
  return (
    <>
      <HttpStatusIcon status={status} />
      <span title={path}>
        {status === 0 ? 'dropped' : status} {method} {path}
      </span>
      <span class="mono">{resource}</span>
      <span>
        {fault !== undefined && <InjectedFault kind={fault.kind} />}
        {code === null ? (
          formatLatency(duration_ms)
        ) : (
          <span class="error-text" title={message ?? ''}>
            {code} {message}
          </span>
        )}
      </span>
      <Time at={at} clock="wall" />
    </>
  );
}

function NoRequestsYet() {
  const address = `${status.value?.base_url ?? ''}/events`;
  return (
    <EmptyState>
      <p>
        No requests yet. Requests to the API appear here with their status and the resource that they created
        or accessed.
      </p>
      <p>
        Send a request to <code>{address}</code> <CopyButton what="URL" text={address} />
      </p>
      <p>
        Authenticate with the API key that <code>svc emulator start</code> printed.
      </p>
    </EmptyState>
  );
}
