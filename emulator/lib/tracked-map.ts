/** A map that knows which of its keys were set or taken away since somebody took note of that. */
export class TrackedMap<K, V> extends Map<K, V> {
  readonly #changed = new Set<K>();

  override set(key: K, value: V): this {
    this.#changed.add(key);
    return super.set(key, value);
  }

  override delete(key: K): boolean {
    this.#changed.add(key);
    return super.delete(key);
  }

  override clear(): void {
    for (const key of this.keys()) this.#changed.add(key);
    super.clear();
  }

  /** What has changed since the last call, by key; `null` for what is gone. */
  takeChanges(): [K, V | null][] {
    if (this.#changed.size === 0) return [];
    const changes = [...this.#changed].map((key): [K, V | null] => [key, this.get(key) ?? null]);
    this.#changed.clear();
    return changes;
  }
}
