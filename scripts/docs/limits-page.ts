import { readFileSync } from "node:fs"
import { join } from "node:path"
import { catalogue } from "../../src/refusals.ts"
import { ADMIN_LIMITS } from "./limits/admin.ts"
import { AGENT_MODE_LIMITS } from "./limits/agent-mode.ts"
import { HTTP_LIMITS } from "./limits/http.ts"
import { IDENTITY_LIMITS } from "./limits/identity.ts"
import { JOB_LIMITS } from "./limits/jobs.ts"
import type { Limit } from "./limits/limit.ts"
import { MAIL_LIMITS } from "./limits/mail.ts"
import { SALES_LIMITS } from "./limits/sales.ts"
import { SOURCES_LIMITS } from "./limits/sources.ts"
import { code, page, table } from "./markdown.ts"

const LIMITS = [
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
  return page("Limits", table(["what", "limit", "constant", "answer when passed"], rows))
}

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
