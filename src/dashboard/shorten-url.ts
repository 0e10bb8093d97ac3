/** A URL without its scheme and trailing slash: `localhost:3000/hooks`. */
export function shortenUrl(url: string): string {
  return url.replace(/^https?:\/\//, '').replace(/\/$/, '');
}
