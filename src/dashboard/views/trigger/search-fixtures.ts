interface Described {
  readonly type: string;
  readonly description: string | null;
}

/** The fixtures whose type or description contains every word of `search`, ignoring case. */
export function searchFixtures<Fixture extends Described>(
  fixtures: readonly Fixture[],
  search: string,
): readonly Fixture[] {
  const words = search.toLowerCase().split(/\s+/);
  return fixtures.filter(({ type, description }) => {
    const text = `${type} ${description ?? ''}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
