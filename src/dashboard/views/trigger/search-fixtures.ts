interface Described {
  readonly type: string;
  readonly description: string | null;
}

/** Those whose type or description has every word of `search`, in whatever case. */
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
