import { readFileSync } from "node:fs"
import { join } from "node:path"
import { catalogue } from "../../src/base/refusals.ts"
import { ADMIN_LIMITS } from "./limits/admin.ts"
import { AGENT_MODE_LIMITS } from "./limits/agent-mode.ts"
import { HTTP_LIMITS } from "./limits/http.ts"
import { IDENTITY_LIMITS } from "./limits/identity.ts"
import { JOB_LIMITS } from "./limits/jobs.ts"
import type { Limit } from "./limits/limit.ts"
import { MAIL_LIMITS } from "./limits/mail.ts"
import { SALES_LIMITS } from "./limits/sales.ts"
import { freeWritesTable, sharedCapsTable } from "./limits/shared-caps.ts"
import { SOURCES_LIMITS } from "./limits/sources.ts"
import { code, page, table } from "./markdown.ts"

export const LIMITS = [
  ...HTTP_LIMITS,
  ...IDENTITY_LIMITS,
  ...SALES_LIMITS,
  ...MAIL_LIMITS,
  ...JOB_LIMITS,
  ...AGENT_MODE_LIMITS,
  ...SOURCES_LIMITS,
  ...ADMIN_LIMITS,
]
const ROOT = join(import.meta.dir, "..", "..")

/** Every limit with its constant, as the source has it. Throws if a row names a constant that does not exist. */
export function limitsPage(): string {
  const rows = LIMITS.map((limit) => {
    requireStatus(limit)
    return [
      limit.what,
      limit.limit,
      `${code(`${limit.constant} = ${constantValue(limit)}`)}, ${code(limit.file)}`,
      limit.answer,
    ]
  })
  return page(
    "Limits",
    table(["what", "limit", "constant", "answer when passed"], rows),
    "## Caps that callers share",
    SHARED_TEXT,
    sharedCapsTable(),
    "## Free writes",
    "Every write that a caller causes without a payment, and what holds it.",
    freeWritesTable(),
  )
}

const SHARED_TEXT = `Who passes one gets 429 \`RATE_LIMITED\` with the limit, whose share is used up, when it ends and the way out. An address (/32, for IPv6
/48) uses at most a fiftieth of what is left of a cap. A tenth is kept for addresses that did not use the cap in the last day, one use each.
Messages and jobs have no address: they are split by mail domain and by wallet, and nothing is kept for new ones, because names are free to
make. The counts are rows of the database: several processes share them, and a restart changes nothing. \`bizauth check\` and the metrics
\`bizauth_shared_cap_used\` and \`bizauth_shared_cap_max\` show their use. Requests in flight are counted by each process, which shows them as
\`bizauth_http_requests_in_flight\` and \`bizauth_http_requests_in_flight_max\`.`

function constantValue({ constant, file }: Limit): string {
  const found = new RegExp(`const ${constant}(?:: [^=]+)? = (.+)$`, "m").exec(
    readFileSync(join(ROOT, file), "utf8"),
  )?.[1]
  if (found === undefined) throw new Error(`scripts/docs/limits: ${file} has no constant ${constant}`)
  return found
}

function requireStatus({ constant, answer }: Limit): void {
  for (const [, status, name] of answer.matchAll(/\b(\d{3}) `([A-Z_]+)`/g)) {
    const known = Object.entries(catalogue).find(([known]) => known === name)?.[1].status
    if (known !== Number(status)) {
      throw new Error(`scripts/docs/limits, ${constant}: ${name} has status ${known ?? "none"}, not ${status}`)
    }
  }
}
