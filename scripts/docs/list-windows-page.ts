import { LIST_ROWS } from "../../src/sources/records/list-rows.ts"
import { code, page, table } from "./markdown.ts"

const days = (seconds: number) => `${seconds / 86_400} days`
const hours = (seconds: number) => `${seconds / 3_600} h`

/** The maximum age of each list, by retrieval and by content. */
export function listWindowsPage(): string {
  const rows = Object.entries(LIST_ROWS).map(
    ([
      id,
      {
        windows: { freshSeconds, staleSeconds, content },
      },
    ]) => [
      code(id),
      hours(freshSeconds),
      hours(staleSeconds),
      `${days(content.staleSeconds)}${content.unlessConfirmed ? ", unless confirmed" : ""}`,
    ],
  )
  return page("Windows of the lists", table(["list", "FRESH until", "STALE by retrieval", "STALE by content"], rows))
}
