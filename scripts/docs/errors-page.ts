import { catalogue } from "../../src/base/refusals.ts"
import { code, page, table } from "./markdown.ts"

/** OF_CALL: which one depends on the call. */
function formOf(form: string): string {
  return form === "OF_CALL" ? "of the call" : code(form)
}

/** Every error code of the HTTP interface with its status and the next action for a machine. */
export function errorsPage(): string {
  const rows = Object.entries(catalogue).map(([name, row]) => [
    code(name),
    row.status,
    row.title,
    code(row.next),
    "form" in row ? formOf(row.form) : "",
  ])
  return page("Error codes", table(["code", "status", "title", "next_machine_action", "signed_form"], rows))
}
