/** `1 delivery`, `2 deliveries` */
export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

export function formatDeliveryCount(count: number): string {
  return formatCount(count, 'delivery', 'deliveries');
}
