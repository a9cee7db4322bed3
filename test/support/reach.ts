/** Everything that can be reached from a value: own keys and symbols, getters called, prototypes, map and set contents; functions' properties too. */
export function reach(root: unknown): Set<unknown> {
  const seen = new Set<unknown>();
  const queue = [root];
  while (queue.length > 0) {
    const value = queue.pop();
    if (seen.has(value)) continue;
    seen.add(value);
    if ((typeof value !== "object" && typeof value !== "function") || value === null) continue;
    queue.push(Object.getPrototypeOf(value));
    if (value instanceof Map || value instanceof Set) for (const item of [...value].flat()) queue.push(item);
    for (const key of Reflect.ownKeys(value)) {
      queue.push(key);
      const property = Object.getOwnPropertyDescriptor(value, key)!;
      queue.push(property.value, property.get, property.set);
      if (property.get)
        try {
          queue.push(property.get.call(value));
        } catch {
          // getters of built-in prototypes want another receiver
        }
    }
  }
  return seen;
}
