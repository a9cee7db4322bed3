/** Lower-cased words of letters, digits and underscores (Unicode), as Python's `re.findall(r"\w+", text.lower())`. */
export const words = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}\p{M}_]+/gu) ?? [];

/** Items by key, keys in order of first appearance. */
export function groupBy<T>(items: Iterable<T>, key: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const k = key(item);
    const group = groups.get(k);
    if (group) group.push(item);
    else groups.set(k, [item]);
  }
  return groups;
}
