/** `1 delivery`, `2 deliveries` */
export function formatCount(count: number, singular: string, plural = `${singular}s`): string {
  return `${count} ${count === 1 ? singular : plural}`;
}

export function formatDeliveryCount(count: number): string {
  return formatCount(count, 'delivery', 'deliveries');
}
