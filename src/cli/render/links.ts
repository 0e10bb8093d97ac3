import { findDashboardPage, toDashboardUrl } from '../dashboard-url.ts';
import { link } from '../terminal-text.ts';

const ID = /\b[a-z]+_[0-7][0-9A-HJKMNP-TV-Z]{25}\b/g;

/** Makes every id in a text that the dashboard has a place for a link to it (OSC 8), which takes no columns. */
export function linkIds(text: string, dashboardUrl: string): string {
  return text.replace(ID, (id) => {
    const place = findDashboardPage(id);
    return place === null ? id : link(id, toDashboardUrl(dashboardUrl, place));
  });
}
