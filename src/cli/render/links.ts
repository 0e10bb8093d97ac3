import { findDashboardPage, toDashboardUrl } from '../dashboard-url.ts';
import { link } from '../terminal-text.ts';

const ID = /\b[a-z]+_[0-7][0-9A-HJKMNP-TV-Z]{25}\b/g;

/** Links each id in a text to its page in the dashboard (OSC 8). Links take no columns. */
export function linkIds(text: string, dashboardUrl: string): string {
  return text.replace(ID, (id) => {
    const page = findDashboardPage(id);
    return page === null ? id : link(id, toDashboardUrl(dashboardUrl, page));
  });
}
