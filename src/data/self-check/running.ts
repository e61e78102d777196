import { servingProcess } from "../running-settings.ts"
import { about, type Line } from "./line.ts"

/** `texts`: every setting as it was written. */
export function runningLine(directory: string, texts: Readonly<Record<string, string>>): Line {
  const line = about("settings", "running", "a changed setting has no effect until serve starts again")
  const serving = servingProcess(directory, texts)
  if (serving === null) return line.ok("no process serves from this directory on this machine")
  const { pid, since, differing, handedOver } = serving
  const apart = handedOver.length === 0 ? "" : `; the service manager hands over ${handedOver.join(", ")}`
  if (differing.length === 0) return line.ok(`process ${pid}, which serves since ${since}, has these settings${apart}`)
  return line.note(
    `process ${pid}, which serves since ${since}, has other values of ${differing.join(", ")}`,
    "start it again; or write what it got as flags or variables into the file, with bizauth config set",
  )
}
