/** Which workspace a part of the page belongs to. Its times are those of that workspace's schedule clock. */
import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect } from 'preact/hooks';
import { clockOf, selectedClock, type WorkspaceClock, watchClock } from '../schedule-clock.ts';
import { replaceWorkspace, status } from '../session.ts';

const ScopeContext = createContext<string | null>(null);

interface Props {
  readonly workspaceId: string;
  readonly children: ComponentChildren;
}

export function WorkspaceScope({ workspaceId, children }: Props) {
  useEffect(() => watchClock(workspaceId), [workspaceId]);
  return <ScopeContext.Provider value={workspaceId}>{children}</ScopeContext.Provider>;
}

/** Selects the workspace as well, because the page shows one of its items. */
export function SelectedWorkspaceScope({ workspaceId, children }: Props) {
  const isSessionLoaded = status.value !== undefined;
  useEffect(() => {
    if (isSessionLoaded) replaceWorkspace(workspaceId);
  }, [workspaceId, isSessionLoaded]);
  return <WorkspaceScope workspaceId={workspaceId}>{children}</WorkspaceScope>;
}

/** The clock of the enclosing scope, or else of the selected workspace. */
export function useClock(): WorkspaceClock {
  const id = useContext(ScopeContext);
  return id === null ? selectedClock.value : clockOf(id);
}
