import { ServiceError } from "../errors.ts"
import type { NameIndex } from "../sources/screening/name-index.ts"
import { nameProblemsOf, type ScreenQuery, screen } from "../sources/screening/screen.ts"

/**
 * NAME_SCRIPT_UNSUPPORTED at `pointer` for a name that cannot be read completely, before anything is quoted. A name that is half read
 * may still be a listed one, and then the answer is a decision (rulings 51). A script that is not supported refuses by itself, whatever
 * is found (rulings 80).
 */
export function refuseUnreadName(index: NameIndex, query: ScreenQuery, pointer: string): ServiceError | null {
  const problems = nameProblemsOf(query)
  if (problems.length === 0) return null
  if (!problems.includes("SCRIPT_UNSUPPORTED") && screen(index, query).state !== "SCRIPT_UNSUPPORTED") return null
  return new ServiceError("NAME_SCRIPT_UNSUPPORTED", "Give the name in one supported script, as it is registered.", {
    errors: [{ pointer, code: "NAME_SCRIPT_UNSUPPORTED" }],
    reasonCodes: problems,
  })
}
