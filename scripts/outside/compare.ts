/** What a build shows under one name each: a text, as it was printed. */
export type Shown = ReadonlyMap<string, string>

/** Lines of a difference that are printed. */
const LINES_SHOWN = 6

/** Counts the equal texts, and describes each other name with the first lines that differ. */
export function compare(before: Shown, after: Shown): { equal: number; differences: readonly string[] } {
  const differences: string[] = []
  let equal = 0
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    const [old, made] = [before.get(name), after.get(name)]
    if (old === made) equal++
    else if (old === undefined) differences.push(`  ${name}: only after`)
    else if (made === undefined) differences.push(`  ${name}: only before`)
    else differences.push(`  ${name}\n${differingLines(old, made)}`)
  }
  return { equal, differences }
}

function differingLines(before: string, after: string): string {
  const [old, made] = [before.split("\n"), after.split("\n")]
  const gone = old.filter((line) => !made.includes(line)).map((line) => `    - ${shorten(line)}`)
  const come = made.filter((line) => !old.includes(line)).map((line) => `    + ${shorten(line)}`)
  const lines = [...gone.slice(0, LINES_SHOWN), ...come.slice(0, LINES_SHOWN)]
  return lines.length > 0 ? lines.join("\n") : "    the same lines in another order or number"
}

const shorten = (line: string) => (line.length > 300 ? `${line.slice(0, 300)}…` : line)
