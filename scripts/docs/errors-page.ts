import { catalogue } from "../../src/base/refusals.ts"
import { code, page, table } from "./markdown.ts"

/** Every error code of the HTTP interface with its status and the next action for a machine. */
export function errorsPage(): string {
  const rows = Object.entries(catalogue).map(([name, { status, title, next }]) => [
    code(name),
    status,
    title,
    code(next),
  ])
  return page("Error codes", table(["code", "status", "title", "next_machine_action"], rows))
}
