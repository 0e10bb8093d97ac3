/** `1 delivery`, `2 deliveries` */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

export function countDeliveries(count: number): string {
  return countOf(count, 'delivery', 'deliveries');
}
