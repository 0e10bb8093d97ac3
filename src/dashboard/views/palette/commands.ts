/** The commands of the palette: the pages, the actions of the current page, and the resource of a pasted ID. */
import { idPatterns } from '../../../domain/ids.ts';
import { findResourceRoute, type Route } from '../../address.ts';
import type { Shortcut } from '../../shortcuts.ts';

export interface Command {
  readonly title: string;
  /** Key that runs the same action; empty without one. */
  readonly key: string;
  readonly run: () => void;
}

interface Actions {
  readonly navigate: (to: Partial<Route> & Pick<Route, 'section'>) => void;
  readonly selectWorkspace: (id: string) => void;
}

/** The command that opens the resource of an ID; null if the text is not one. */
export function findIdCommand(text: string, { navigate, selectWorkspace }: Actions): Command | null {
  const id = text.trim();
  const route = findResourceRoute(id);
  if (route !== null) return { title: `Open ${id}`, key: '', run: () => navigate(route) };
  const [, delivery, attempt = ''] = /^att_([0-9A-Z]+)_(\d+)$/.exec(id) ?? [];
  if (delivery !== undefined) {
    const to = { section: 'deliveries' as const, id: `del_${delivery}`, query: { attempt } };
    return { title: `Open attempt ${attempt} of ${to.id}`, key: '', run: () => navigate(to) };
  }
  if (idPatterns.apiKey.test(id)) {
    const to = { section: 'requests' as const, query: { api_key_id: id } };
    return { title: `Show requests with ${id}`, key: '', run: () => navigate(to) };
  }
  if (idPatterns.workspace.test(id)) {
    return { title: `Select workspace ${id}`, key: '', run: () => selectWorkspace(id) };
  }
  return null;
}

/** The actions with a shortcut, without that of the palette. */
export function toActionCommands(shortcuts: readonly Shortcut[], ownKey: string): Command[] {
  return shortcuts
    .filter(({ key }) => key !== ownKey)
    .map(({ key, description, run }) => ({ title: description, key, run }));
}

/** Commands whose title contains every word of the text, in any order. */
export function searchCommands(commands: readonly Command[], text: string): readonly Command[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return commands.filter(({ title }) => words.every((word) => title.toLowerCase().includes(word)));
}
