/** The layout around every view: pages, clock, workspace, connection status and toasts. */
import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Route, type Section, toHash } from './address.ts';
import { isConnected, isLost } from './control.ts';
import { FailureIndicator } from './failure-indicator.tsx';
import icon from './icon.svg';
import { navigate, route } from './router.ts';
import { missingWorkspaceId, selectWorkspace, status, workspaceId, workspaces } from './session.ts';
import { useShortcuts } from './shortcuts.ts';
import { dismissErrors, dismissToast, toasts, withErrorToast } from './toasts.ts';
import { HintText } from './ui/hint-text.tsx';
import { IconButton } from './ui/icon-button.tsx';
import { ClockControl } from './views/clock/clock-control.tsx';
import { HomeView } from './views/home/home-view.tsx';
import type { SettingsDialog } from './views/settings/settings-dialog.tsx';

type View = (props: { readonly route: Route }) => JSX.Element;

interface ViewEntry {
  readonly title: string;
  /** Loads the view when it is first opened; the first page loads faster without it. */
  readonly load: () => Promise<View>;
}

const views: Record<Section, ViewEntry> = {
  home: { title: 'Home', load: async () => HomeView },
  deliveries: {
    title: 'Deliveries',
    load: async () => (await import('./views/deliveries/deliveries-view.tsx')).DeliveriesView,
  },
  events: {
    title: 'Events',
    load: async () => (await import('./views/events/events-view.tsx')).EventsView,
  },
  webhooks: {
    title: 'Endpoint',
    load: async () => (await import('./views/webhooks/webhook-view.tsx')).WebhookPage,
  },
  requests: {
    title: 'Requests',
    load: async () => (await import('./views/requests/requests-view.tsx')).RequestsView,
  },
  trigger: {
    title: 'Trigger',
    load: async () => (await import('./views/trigger/trigger-view.tsx')).TriggerView,
  },
  missing: {
    title: 'Not found',
    load: async () => () => <div class="placeholder">This page does not exist.</div>,
  },
};

/** The pages in the header. An endpoint is a page of Home. */
const pages = Object.entries(views).filter(([section]) => section !== 'webhooks' && section !== 'missing');

const loadedViews = signal<Partial<Record<Section, View>>>({ home: HomeView });

/** The view of the route. It is loaded once, and shown when the workspace is known, because its requests need the workspace. */
function RouteView({ route }: { readonly route: Route }) {
  const { section } = route;
  const [hasFailed, setFailed] = useState(false);
  const View = loadedViews.value[section];
  useEffect(() => {
    setFailed(false);
    if (View !== undefined) return;
    views[section].load().then(
      (loaded) => {
        loadedViews.value = { ...loadedViews.peek(), [section]: loaded };
      },
      () => setFailed(true),
    );
  }, [section, isConnected.value]);
  if (View !== undefined && status.value !== undefined) return <View route={route} />;
  return hasFailed ? (
    <p class="placeholder" data-state="failed" role="alert">
      This page could not be loaded. Reload it when the emulator is running.
    </p>
  ) : (
    <p class="placeholder" role="status">
      Loading…
    </p>
  );
}

export function App() {
  const [settingsDialog, setSettingsDialog] = useState<{ readonly View: typeof SettingsDialog } | null>(null);
  const openSettings = async () => {
    const loaded = await withErrorToast(import('./views/settings/settings-dialog.tsx'));
    if (loaded !== undefined) setSettingsDialog({ View: loaded.SettingsDialog });
  };
  const content = useRef<HTMLElement>(null);
  useShortcuts([
    { key: '?', description: 'Show settings and keyboard shortcuts', run: () => void openSettings() },
    { key: 't', description: 'Trigger an event', run: () => navigate({ section: 'trigger' }) },
  ]);
  const { title } = views[route.value.section];
  return (
    <>
      <FailureIndicator title={title} />
      <header>
        <button type="button" class="hidden" onClick={() => content.current?.focus()}>
          Skip to content
        </button>
        <strong class="row">
          <img src={icon} alt="" width="24" height="24" /> svc
        </strong>
        <Navigation />
        <div class="row">
          <ClockControl />
          <WorkspaceSelect />
          <ConnectionStatus />
          <IconButton name="settings" label="Settings" onClick={() => void openSettings()} />
        </div>
      </header>
      <Alerts />
      <main ref={content} tabIndex={-1}>
        <h1 class="hidden">{title}</h1>
        {missingWorkspaceId.value === null ? (
          <RouteView route={route.value} />
        ) : (
          <MissingWorkspace id={missingWorkspaceId.value} />
        )}
      </main>
      <Toasts />
      {settingsDialog !== null && <settingsDialog.View onClose={() => setSettingsDialog(null)} />}
    </>
  );
}

function Navigation() {
  return (
    <nav aria-label="Sections">
      {pages.map(([section, { title }]) => (
        <a
          key={section}
          href={toHash({ section: section as Section })}
          aria-current={isShown(section) ? 'page' : undefined}
        >
          {title}
        </a>
      ))}
    </nav>
  );
}

function isShown(section: string): boolean {
  const { section: shown } = route.value;
  return section === (shown === 'webhooks' ? 'home' : shown);
}

function WorkspaceSelect() {
  if (workspaces.value.length < 2) return null;
  return (
    <select
      aria-label="Workspace"
      value={workspaceId.value ?? ''}
      onChange={(event) => selectWorkspace(event.currentTarget.value)}
    >
      {workspaceId.value === undefined && <option value="">unknown</option>}
      {workspaces.value.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}

function MissingWorkspace({ id }: { readonly id: string }) {
  return (
    <div class="placeholder" role="alert">
      <p>
        Workspace <code>{id}</code> does not exist in this emulator.
      </p>
      <p>The link may be from another emulator, or the emulator was reset.</p>
      <button type="button" onClick={() => selectWorkspace(status.value?.workspace_id ?? '')}>
        Open the default workspace
      </button>
    </div>
  );
}

function ConnectionStatus() {
  const { value: isLive } = isConnected;
  const state = isLive === null ? 'pending' : isLive ? 'succeeded' : 'failed';
  const texts = {
    pending: 'Connecting…',
    succeeded: status.value?.environment ?? 'Connected',
    failed: 'Connection lost',
  };
  return (
    <span class="row" role="status" title={isLive ? 'Connected' : undefined}>
      <span data-state={state} aria-hidden="true">
        ●
      </span>
      <span>{texts[state]}</span>
    </span>
  );
}

function Toasts() {
  const { section, id } = route.value;
  useEffect(dismissErrors, [section, id]);
  return (
    <div aria-live="polite">
      {toasts.value.map(({ number, text, isError }) => (
        <p key={number} class="notice" data-state={isError ? 'failed' : undefined}>
          {text} <IconButton name="cross" label="Dismiss" onClick={() => dismissToast(number)} />
        </p>
      ))}
    </div>
  );
}

function Alerts() {
  const problem = status.value?.storage_problem;
  return (
    <div>
      {isLost.value && (
        <p class="notice" data-state="failed" role="alert">
          <strong>Lost the connection to the emulator at {location.host}.</strong> This page shows the last
          data it received and reconnects automatically. If the emulator has stopped, start it with:{' '}
          <code>svc emulator start</code>
        </p>
      )}
      {problem !== undefined && (
        <p class="notice" data-state="failed" role="alert">
          <strong>{problem.message}</strong> <HintText hint={problem.hint} />
        </p>
      )}
    </div>
  );
}
