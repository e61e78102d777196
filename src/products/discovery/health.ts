import { getLiveness, getReadiness } from "../../../schemas/discovery/health.ts"
import { ServiceError } from "../../base/errors.ts"
import type { Readiness } from "../../base/readiness.ts"
import { serve } from "../../http/serve.ts"
import type { Shell } from "../../http/shell.ts"

interface Parts {
  readonly shell: Shell
  readonly readiness: Readiness
}

export function health({ shell, readiness }: Parts) {
  return [
    serve(shell, getLiveness, () => ({ status: 200, body: { status: "ALIVE" } })),
    serve(shell, getReadiness, async () => {
      const reasons = await readiness.currentReasons()
      if (reasons.length > 0) {
        throw new ServiceError("NOT_READY", "reason_codes names what failed.", {
          reasonCodes: reasons.map(({ code }) => code),
        })
      }
      const checks = ["DATABASE_WRITABLE", "MIGRATIONS_APPLIED", "SIGNING_KEY_LOADED"]
      return { status: 200, body: { checks, status: "READY" } }
    }),
  ]
}
