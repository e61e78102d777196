/**
 * Runs `step` for each item in order, at most `atOnce` concurrently. Resolves when every started step has ended. After an error it starts no
 * further step and throws the first error. Calls `mayStart` before each step and stops when it returns false.
 */
export async function concurrently<T>(
  items: readonly T[],
  atOnce: number,
  step: (item: T) => Promise<void>,
  mayStart: () => boolean = () => true,
): Promise<void> {
  let next = 0
  let failed = false
  async function lane(): Promise<void> {
    while (!failed && next < items.length && mayStart()) {
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
