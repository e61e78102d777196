/**
 * Runs `step` for each item in order, at most `atOnce` at a time. Ends when every step that began has ended; after an error no further
 * step begins, and the first error is thrown. `goOn` is asked before each step.
 */
export async function sideBySide<T>(
  items: readonly T[],
  atOnce: number,
  step: (item: T) => Promise<void>,
  goOn: () => boolean = () => true,
): Promise<void> {
  let next = 0
  let failed = false
  async function lane(): Promise<void> {
    while (!failed && next < items.length && goOn()) {
      const item = items[next++] as T
      try {
        await step(item)
      } catch (error) {
        failed = true
        throw error
      }
    }
  }
  const lanes = await Promise.allSettled(Array.from({ length: atOnce }, lane))
  for (const ended of lanes) if (ended.status === "rejected") throw ended.reason
}
