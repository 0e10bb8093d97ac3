/** An address without what every one has: `localhost:3000/hooks`. */
export function shortenUrl(url: string): string {
  return url.replace(/^https?:\/\//, '').replace(/\/$/, '');
}
