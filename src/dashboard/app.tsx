/** The layout around every view: navigation, workspace, connection status, clock and toasts. */
import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Route, type Section, toHash } from './address.ts';
import { isConnected, isLost } from './control.ts';
import { FailureIndicator } from './failure-indicator.tsx';
import icon from './icon.svg';
import { findNextFailing, nextFailingShortcut } from './next-failing-delivery.ts';
import { navigate, route } from './router.ts';
import {
  isDatabaseReplaced,
  missingWorkspaceId,
  refreshStatus,
  selectWorkspace,
  status,
  workspaceId,
  workspaces,
} from './session.ts';
import { activeShortcuts, useShortcuts } from './shortcuts.ts';
import { dismissToast, toasts, withErrorToast } from './toasts.ts';
import { ActionButton } from './ui/action-button.tsx';
import { Dialog } from './ui/dialog.tsx';
import { HintText } from './ui/hint-text.tsx';
import { Icon } from './ui/icon.tsx';
import { usePolling } from './use-query.ts';
import { ClockBar } from './views/clock/clock-bar.tsx';
import { OverviewView } from './views/overview/overview-view.tsx';
import type { CommandPalette } from './views/palette/command-palette.tsx';
import { SettingsMenu } from './views/settings/settings-menu.tsx';

type View = (props: { readonly route: Route }) => JSX.Element;

interface ViewEntry {
  readonly title: string;
  /** Loads the view when it is first opened; the first page loads faster without it. */
  readonly load: () => Promise<View>;
}

const views: Record<Section, ViewEntry> = {
  overview: { title: 'Overview', load: async () => OverviewView },
  deliveries: {
    title: 'Deliveries',
    load: async () => (await import('./views/deliveries/deliveries-view.tsx')).DeliveriesView,
  },
  events: {
    title: 'Events',
    load: async () => (await import('./views/events/events-view.tsx')).EventsView,
  },
  webhooks: {
    title: 'Endpoints',
    load: async () => (await import('./views/webhooks/webhooks-view.tsx')).WebhooksView,
  },
  requests: {
    title: 'Requests',
    load: async () => (await import('./views/requests/requests-view.tsx')).RequestsView,
  },
  keys: { title: 'API keys', load: async () => (await import('./views/keys/keys-view.tsx')).KeysView },
  trigger: {
    title: 'Trigger',
    load: async () => (await import('./views/trigger/trigger-view.tsx')).TriggerView,
  },
};

const PALETTE_KEY = 'Ctrl+K';

/** Without the page that the shortcut `t` opens: the palette also lists the shortcuts. */
const pageCommands = Object.entries(views)
  .filter(([section]) => section !== 'trigger')
  .map(([section, { title }]) => ({
    title: `Go to ${title}`,
    key: '',
    run: () => navigate({ section: section as Section }),
  }));

const loadedViews = signal<Partial<Record<Section, View>>>({ overview: OverviewView });

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
    <p class="placeholder error" role="alert">
      This page could not be loaded. Reload it when the emulator is running.
    </p>
  ) : (
    <p class="placeholder" role="status">
      Loading…
    </p>
  );
}

export function App() {
  const [isHelpOpen, setHelpOpen] = useState(false);
  /** Loaded when it is first opened; null while it is closed. */
  const [palette, setPalette] = useState<{ readonly View: typeof CommandPalette } | null>(null);
  const openPalette = async () => {
    const loaded = await withErrorToast(import('./views/palette/command-palette.tsx'));
    if (loaded !== undefined) setPalette({ View: loaded.CommandPalette });
  };
  const content = useRef<HTMLElement>(null);
  useShortcuts([
    { key: '?', description: 'Show keyboard shortcuts', run: () => setHelpOpen(true) },
    { key: PALETTE_KEY, description: 'Open the command palette', run: () => void openPalette() },
    { ...nextFailingShortcut, run: () => void openFailing() },
    { key: 't', description: 'Trigger an event', run: () => navigate({ section: 'trigger' }) },
  ]);
  const { title } = views[route.value.section];
  return (
    <div class="app">
      <FailureIndicator title={title} />
      <header class="app-header">
        <button type="button" class="skip-link" onClick={() => content.current?.focus()}>
          Skip to content
        </button>
        <a class="row brand" href={toHash({ section: 'overview' })}>
          <img src={icon} alt="" /> svc
        </a>
        <Navigation />
        <div class="row app-header-actions">
          <WorkspaceSelect />
          <ConnectionStatus />
          <SettingsMenu />
          <button
            type="button"
            class="subtle"
            aria-label="Keyboard shortcuts"
            onClick={() => setHelpOpen(true)}
          >
            <Icon name="help" />
          </button>
        </div>
      </header>
      <div>
        <ConnectionAlert />
        <DatabaseFileAlert />
        <ReplacedDatabaseMessage />
        <ClockBar />
      </div>
      <main ref={content} tabIndex={-1}>
        <h1 class="visually-hidden">{title}</h1>
        {missingWorkspaceId.value === null ? (
          <RouteView route={route.value} />
        ) : (
          <MissingWorkspace id={missingWorkspaceId.value} />
        )}
      </main>
      <Toasts />
      {palette !== null && (
        <palette.View
          pages={pageCommands}
          ownKey={PALETTE_KEY}
          onClose={(command) => {
            setPalette(null);
            command?.run();
          }}
        />
      )}
      {isHelpOpen && <ShortcutsDialog onClose={() => setHelpOpen(false)} />}
    </div>
  );
}

async function openFailing(): Promise<void> {
  const found = await findNextFailing();
  if (found !== undefined) navigate({ section: 'deliveries', id: found.id });
}

function Navigation() {
  return (
    <nav aria-label="Sections">
      {Object.entries(views).map(([section, { title }]) => (
        <a
          key={section}
          href={toHash({ section: section as Section })}
          aria-current={route.value.section === section ? 'page' : undefined}
        >
          {title}
        </a>
      ))}
    </nav>
  );
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
  const isLive = isConnected.value;
  if (isLive === null) return <ConnectionLight state="connecting" text="Connecting…" />;
  if (!isLive) return <ConnectionLight state="lost" text="Connection lost" />;
  const environment = status.value?.environment;
  const text = environment === undefined ? 'Connected' : `Connected (${environment})`;
  return <ConnectionLight state="live" text={text} />;
}

function ConnectionLight({ state, text }: { readonly state: string; readonly text: string }) {
  return (
    <span class={`connection ${state}`} role="status">
      <span class="connection-text">{text}</span>
    </span>
  );
}

function Toasts() {
  return (
    <div class="toasts" aria-live="polite">
      {toasts.value.map(({ number, text, isError, undo }) => (
        <p key={number} class={isError ? 'error' : ''}>
          {text} {undo !== undefined && <ActionButton onClick={undo}>Undo</ActionButton>}{' '}
          <button type="button" class="subtle" aria-label="Dismiss" onClick={() => dismissToast(number)}>
            <Icon name="cross" />
          </button>
        </p>
      ))}
    </div>
  );
}

function ShortcutsDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl class="properties">
        {activeShortcuts.value.map(({ key, description }) => [
          <dt key={`${key} key`}>
            <kbd>{key}</kbd>
          </dt>,
          <dd key={key}>{description}</dd>,
        ])}
      </dl>
    </Dialog>
  );
}

function ConnectionAlert() {
  if (!isLost.value) return null;
  return (
    <section class="row alert danger" role="alert">
      <p>
        <strong>Lost the connection to the emulator at {location.host}.</strong> This page shows the last data
        it received and reconnects automatically. If the emulator has stopped, start it with:{' '}
        <code>svc emulator start</code>
      </p>
    </section>
  );
}

function ReplacedDatabaseMessage() {
  return (
    <div role="status">
      {isDatabaseReplaced.value && (
        <section class="row alert">
          <p>The emulator was restarted with a different database. This page has reloaded its data.</p>
          <button
            type="button"
            onClick={() => {
              isDatabaseReplaced.value = false;
            }}
          >
            Dismiss
          </button>
        </section>
      )}
    </div>
  );
}

function DatabaseFileAlert() {
  usePolling(refreshStatus);
  const problem = status.value?.storage_problem;
  if (problem === undefined) return null;
  return (
    <section class="row alert danger" role="alert">
      <p>
        <strong>{problem.message}</strong> <HintText hint={problem.hint} />
      </p>
    </section>
  );
}
