/** The delivery list with its filters. */
import type { Route } from '../../address.ts';
import { control } from '../../control.ts';
import { useShortcuts } from '../../shortcuts.ts';
import { withErrorToast } from '../../toasts.ts';
import { NoMatches } from '../../ui/filter-bar.tsx';
import { LiveTable, PauseButton } from '../../ui/live-table.tsx';
import { openReplayDialog } from '../replay/replay-request.ts';
import { COLUMNS, renderCells } from './delivery-cells.tsx';
import { parseFilter } from './delivery-filter.ts';
import { DeliveryFilterBar } from './delivery-filter-bar.tsx';
import { GettingStarted } from './getting-started.tsx';
import { useDeliveries } from './use-deliveries.ts';

const ROW_REM = 3.25;

interface Props {
  readonly query: Route['query'];
  /** ID of the open delivery; null when none is open. */
  readonly openId: string | null;
}

export function DeliveryList({ query, openId }: Props) {
  const filter = parseFilter(query);
  const list = useDeliveries(filter);
  const active = openId ?? list.selectedId;
  // The open tab stays the same when the user opens another delivery.
  const tab = query.tab ?? '';
  useShortcuts([
    {
      key: 'r',
      description: 'Replay the selected delivery',
      run: () => active !== null && void replay(active),
    },
  ]);
  const isNarrowed = Object.keys(filter).length > 0;
  return (
    <>
      <DeliveryFilterBar filter={filter}>
        <PauseButton {...list} />
      </DeliveryFilterBar>
      <LiveTable
        list={list}
        what="deliveries"
        columns={COLUMNS}
        cells={renderCells}
        rowHeight={ROW_REM}
        toRoute={(id) => ({ section: 'deliveries', id, query: { ...filter, tab } })}
        openId={openId}
        empty={isNarrowed ? <NoMatches filter={{ ...filter }} what="deliveries" /> : <GettingStarted />}
      />
    </>
  );
}

/** The open delivery may not be in the list. */
async function replay(id: string): Promise<void> {
  const delivery = await withErrorToast(control.getDelivery({ id }));
  if (delivery !== undefined) openReplayDialog(delivery);
}
