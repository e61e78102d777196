/** Log lines as a person at a terminal reads them. Files and pipes get the JSON lines. */

const COLOUR: Readonly<Record<string, number>> = { debug: 90, info: 32, warn: 33, error: 31 }
const LEVEL_WIDTH = 5

/** Whether a terminal may get colours (no-color.org). */
export function takesColours(environment: Readonly<Record<string, string | undefined>>): boolean {
  return (environment["NO_COLOR"] ?? "") === "" && environment["TERM"] !== "dumb"
}

/** Converts whole JSON lines. Text that is no JSON object stays as it is. */
export function humanLines(lines: string, { isColoured }: { readonly isColoured: boolean }): string {
  return lines
    .split("\n")
    .map((line) => (line.startsWith("{") ? humanLine(line, isColoured) : line))
    .join("\n")
}

function humanLine(line: string, isColoured: boolean): string {
  const { time, level, event, stack, ...fields } = JSON.parse(line) as Record<string, unknown>
  const name = String(level)
  const padded = name.toUpperCase().padEnd(LEVEL_WIDTH)
  const shown = isColoured ? `\u001b[${COLOUR[name] ?? 0}m${padded}\u001b[0m` : padded
  const rest = Object.entries(fields).map(([key, value]) => ` ${key}=${written(value)}`)
  const below = typeof stack === "string" ? `\n${stack.replace(/^/gm, "    ")}` : ""
  return `${String(time).slice(11, 23)} ${shown} ${event}${rest.join("")}${below}`
}

/** Quotes a text that is empty or has a space, a quote or a control character, so that a value never looks like another field. */
function written(value: unknown): string {
  if (typeof value !== "string") return String(value)
  return /^[^\s"\p{C}]+$/u.test(value) ? value : JSON.stringify(value)
}
