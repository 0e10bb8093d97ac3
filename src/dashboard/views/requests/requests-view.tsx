/** The request log, and the open request. */
import './requests.css';
import type { Route } from '../../address.ts';
import { pickFilters } from '../../pick-filters.ts';
import { ListDetail } from '../../ui/list-detail.tsx';
import { filterNames } from './request-filter.ts';
import { RequestList } from './request-list.tsx';
import { RequestView } from './request-view.tsx';

export function RequestsView({ route: { id, query } }: { readonly route: Route }) {
  return (
    <div class="requests">
      <ListDetail
        list={<RequestList query={query} openId={id} />}
        detail={id === null ? null : <RequestView id={id} />}
        label="Request"
        back={{ section: 'requests', query: pickFilters(query, filterNames) }}
        backTitle="All requests"
      />
    </div>
  );
}
