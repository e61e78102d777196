/** A value that changes from block to block: the current value, and the value at the end of each earlier block. */
export class History<Value> {
  private since = 0
  private older: { readonly since: number; readonly value: Value }[] | null = null

  /** `current` applies from block 0. */
  constructor(private current: Value) {}

  get(): Value {
    return this.current
  }

  /** The value at the end of a block. */
  at(block: number): Value {
    if (block >= this.since || this.older === null) return this.current
    let low = 0
    let high = this.older.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.older[middle]?.since ?? 0) <= block) low = middle
      else high = middle - 1
    }
    return (this.older[low] as { value: Value }).value
  }

  /** Sets the value in a block that is not below the last one set. Returns whether it is the first write of that block. */
  set(block: number, value: Value): boolean {
    const isFirst = block !== this.since
    if (isFirst) {
      this.older ??= []
      this.older.push({ since: this.since, value: this.current })
      this.since = block
    }
    this.current = value
    return isFirst
  }

  /** Drops the values of all blocks above this one. */
  dropAfter(block: number): void {
    while (this.since > block) {
      const before = this.older?.pop()
      if (!before) throw new RangeError("a history has no value at block 0")
      this.since = before.since
      this.current = before.value
    }
  }

  /** Returns a function that restores the current value. It is valid until a block is dropped. */
  mark(): () => void {
    const { since, current } = this
    const length = this.older?.length ?? 0
    return () => {
      this.since = since
      this.current = current
      if (this.older) this.older.length = length
    }
  }
}
