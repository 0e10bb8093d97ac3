/** `randomSeed` is `random_seed` in the file. */
export function toFileKey(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
