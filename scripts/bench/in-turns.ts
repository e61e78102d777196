/** Does both, the first one first in even rounds and last in odd ones: what a round does to the machine affects the second one more. */
export async function inTurns<T>(
  round: number,
  first: () => Promise<T>,
  second: () => Promise<T>,
): Promise<readonly [first: T, second: T]> {
  if (round % 2 === 0) {
    const one = await first()
    return [one, await second()]
  }
  const two = await second()
  return [await first(), two]
}
