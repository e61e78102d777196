import { encodeBase64 } from "../../core/bytes.ts"
import { AUDIT_PROVES, LOG_DOES_NOT_PROVE } from "../../core/log-claims.ts"
import type { LogReplay } from "../../core/log-replay.ts"
import { Report } from "../../offline/report.ts"
import { printReport } from "../../offline/words/verdict-text.ts"

/** A difference, and the first leaf with it if there is one. */
export interface Difference {
  readonly index: number | null
  readonly what: string
}

/** A running audit of the log: its checks in order, and the first leaf with a difference. */
export class AuditResult {
  readonly report = new Report()
  origin: string | null = null
  private firstDifference: number | null = null

  /** Adds a check. Returns true if nothing differs. */
  step(check: string, difference: Difference | null, ok: string): boolean {
    this.firstDifference ??= difference?.index ?? null
    return this.report.check(check, difference === null, { ok, invalid: difference?.what ?? "" })
  }

  print(replay: LogReplay): string {
    const { conclusion } = this.report
    const lines = [
      `log      ${this.origin ?? "not named yet: no service has run"}`,
      `replayed ${replay.size} leaves, ${replay.map.entryCount} agents`,
      `root     ${encodeBase64(replay.rootHash())}`,
    ]
    const at = this.firstDifference === null ? "" : `; first at leaf ${this.firstDifference}`
    const claims = [
      ...(conclusion === "VALID" ? ["proves:", ...AUDIT_PROVES.map((claim) => `  ${claim}`)] : []),
      "does not prove:",
      ...LOG_DOES_NOT_PROVE.map((claim) => `  ${claim}`),
    ]
    return `${lines.join("\n")}\n${printReport(this.report)}result   ${conclusion}${at}\n${claims.join("\n")}\n`
  }

  json(replay: LogReplay): string {
    const { conclusion, lines } = this.report
    return `${JSON.stringify({
      version: 1,
      result: conclusion,
      origin: this.origin,
      tree_size: replay.size,
      root_hash: encodeBase64(replay.rootHash()),
      map_root: encodeBase64(replay.map.root()),
      agents: replay.map.entryCount,
      first_difference: this.firstDifference,
      checks: lines,
      proves: conclusion === "VALID" ? AUDIT_PROVES : [],
      does_not_prove: LOG_DOES_NOT_PROVE,
    })}\n`
  }
}
