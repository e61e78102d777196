import { ServiceError } from "../../base/errors.ts"
import type { NameIndex } from "../../sources/screening/name-index.ts"
import { nameProblemsOf } from "../../sources/screening/query-forms.ts"
import { type ScreenQuery, screen } from "../../sources/screening/screen.ts"
import { NOT_EVALUATED } from "./pre-quote-check.ts"

/**
 * Returns NAME_SCRIPT_UNSUPPORTED at `pointer` for a name that cannot be read completely, before a quote. If a partly read name matches a
 * listed party, the result is null, because a decision must state the match (rulings 51). A name in an unsupported script is always
 * rejected (rulings 80).
 */
export function checkNameReadable(
  index: NameIndex,
  name: string,
  pointer: string,
  queryOf: () => ScreenQuery,
): ServiceError | null {
  const judged = judgeUnscreenedName(name, pointer)
  if (judged !== NOT_EVALUATED) return judged
  const { state, nameProblems } = screen(index, queryOf())
  return state === "SCRIPT_UNSUPPORTED" ? unread(nameProblems, pointer) : null
}

/**
 * The same check for a free call. The lists decide whether a partly read name is rejected, and a free call must not reveal the content of
 * the lists. Such a name is NOT_EVALUATED.
 */
export function judgeUnscreenedName(name: string, pointer: string): ServiceError | null | typeof NOT_EVALUATED {
  const problems = nameProblemsOf({ name, type: "org" })
  if (problems.length === 0) return null
  return problems.includes("SCRIPT_UNSUPPORTED") ? unread(problems, pointer) : NOT_EVALUATED
}

function unread(problems: ReturnType<typeof nameProblemsOf>, pointer: string): ServiceError {
  return new ServiceError("NAME_SCRIPT_UNSUPPORTED", "Give the name in one supported script, as it is registered.", {
    errors: [{ pointer, code: "NAME_SCRIPT_UNSUPPORTED", expected: "name in one supported script" }],
    reasonCodes: [...problems],
  })
}
