import { ServiceError } from "../errors.ts"
import type { NameIndex } from "../sources/screening/name-index.ts"
import { nameProblemsOf, type ScreenQuery, screen } from "../sources/screening/screen.ts"
import { NOT_EVALUATED } from "./pre-quote-check.ts"

/**
 * NAME_SCRIPT_UNSUPPORTED at `pointer` for a name that cannot be read completely, before anything is quoted. A name that is half read
 * may still be a listed one, and then the answer is a decision (rulings 51). A script that is not supported refuses by itself, whatever
 * is found (rulings 80).
 */
export function refuseUnreadName(index: NameIndex, query: ScreenQuery, pointer: string): ServiceError | null {
  const judged = judgeUnscreenedName(query, pointer)
  if (judged !== NOT_EVALUATED) return judged
  return screen(index, query).state === "SCRIPT_UNSUPPORTED" ? unread(nameProblemsOf(query), pointer) : null
}

/**
 * The same for a free call. The lists decide whether a half read name is refused, and a free call must not tell what the lists have: such a
 * name is NOT_EVALUATED.
 */
export function judgeUnscreenedName(query: ScreenQuery, pointer: string): ServiceError | null | typeof NOT_EVALUATED {
  const problems = nameProblemsOf(query)
  if (problems.length === 0) return null
  return problems.includes("SCRIPT_UNSUPPORTED") ? unread(problems, pointer) : NOT_EVALUATED
}

function unread(problems: ReturnType<typeof nameProblemsOf>, pointer: string): ServiceError {
  return new ServiceError("NAME_SCRIPT_UNSUPPORTED", "Give the name in one supported script, as it is registered.", {
    errors: [{ pointer, code: "NAME_SCRIPT_UNSUPPORTED", expected: "name in one supported script" }],
    reasonCodes: [...problems],
  })
}
