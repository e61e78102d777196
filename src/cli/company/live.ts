/** `company NUMBER --live`: looks up the Companies House service within its budget, using the answers cached in the data directory. */
import type { Config } from "../../base/config.ts"
import { CommandError, EXIT, type ExitCode } from "../../base/exit.ts"
import { createLog, type Log } from "../../base/log.ts"
import { realMachine } from "../../base/machine.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import type { DataDirectory } from "../../data/data-directory.ts"
import { openRegisters } from "../../sources/boards/open-register-board.ts"
import { publicationFact } from "../../sources/boards/publication.ts"
import { RegisterDamaged } from "../../sources/import/register-file.ts"
import { ukCompaniesHouse } from "../../sources/publishers/uk-companies-house/bulk-adapter.ts"
import { type CompanyAnswer, lookUpCompany } from "../../sources/publishers/uk-companies-house/look-up-company.ts"
import type { Input } from "../command.ts"
import { openData, readSettings } from "../inputs.ts"
import { openLive } from "./live-register.ts"
import { describeCompany } from "./report.ts"

/** What an operator can do. A code that is not here explains itself. */
const WHAT_TO_DO: Readonly<Record<string, string>> = {
  KEY_REFUSED: "Companies House refuses the key: put a current one into the file of uk_companies_house_key_file",
  RATE_LIMITED: "Companies House says this key has asked too often",
  REQUEST_BUDGET_SPENT: "the request limit of uk_companies_house_requests is reached for now",
  TIMED_OUT: "no answer in time",
  CONNECTION_FAILED: "no connection to uk_companies_house_url",
  REDIRECTED: "redirects are not followed: check uk_companies_house_url",
  ANSWER_NOT_JSON: "the response is not from the Companies House service: check for a proxy in between",
}

export async function companyLive(input: Input, number: string): Promise<ExitCode> {
  const { config } = readSettings(input)
  const data = await openData(input)
  try {
    input.progress.step({ what: "asking Companies House" })
    const answer = await ask(data, config, createLog("error", input.err, realMachine.now), number)
    if (answer.outcome === "NOT_FOUND") {
      throw new CommandError(
        EXIT.NOT_FOUND,
        `no company ${number}: ${answer.via} ${answer.evidence?.retrievedAt ?? ""}`,
      )
    }
    if (answer.record === null) throw new CommandError(EXIT.NOT_CHECKED, why(answer))
    input.out(input.on("json") ? `${canonicalize(asJson(answer))}\n` : forPeople(answer))
    return EXIT.DONE
  } finally {
    await data.store.close()
  }
}

async function ask({ store, paths }: DataDirectory, config: Config, log: Log, number: string): Promise<CompanyAnswer> {
  const live = openLive(config, { store, log })
  if (!live) {
    throw new CommandError(
      EXIT.CONFIG,
      "--live needs uk_companies_house_key_file, a file with an API key of Companies House",
    )
  }
  const disabled = config.sources_disabled
  const parts = { store, root: paths.snapshots, machine: realMachine, log, adapters: [ukCompaniesHouse], disabled }
  const registers = await openRegisters(parts)
  try {
    return await lookUpCompany({ live, registers }, number, realMachine.now())
  } catch (error) {
    if (!(error instanceof RegisterDamaged)) throw error
    throw new CommandError(EXIT.NOT_CHECKED, `no live answer, and the imported register is damaged: ${error.message}`)
  } finally {
    registers.close()
  }
}

function why({ health, reasonCodes, retryAt }: CompanyAnswer): string {
  const own = reasonCodes.filter((code) => code !== `SOURCE_${health}`)
  const reasons = own.map((code) => WHAT_TO_DO[code] ?? code).join("; ")
  return `${ukCompaniesHouse.id} ${health}: ${reasons}${retryAt === null ? "" : `; ask again from ${retryAt}`}`
}

function asJson({ via, health, freshness, reasonCodes, evidence, record }: CompanyAnswer) {
  return {
    version: 1,
    source_id: ukCompaniesHouse.id,
    via,
    health,
    freshness,
    reason_codes: reasonCodes,
    evidence: evidence && {
      ...publicationFact(evidence, evidence.staleAt),
      snapshot_id: evidence.snapshotId,
    },
    record,
  }
}

function forPeople({ record, via, health, freshness, reasonCodes, evidence }: CompanyAnswer): string {
  if (record === null) throw new Error("a company without a record")
  return describeCompany(record, [
    ["source", `${ukCompaniesHouse.id} ${via} ${health} ${freshness}, retrieved ${evidence?.retrievedAt}`],
    ["evidence", `${evidence?.sourceVersion}  raw ${evidence?.rawSha256}`],
    ...(reasonCodes.length > 0 ? [["note", reasonCodes.join(", ")] as const] : []),
  ])
}
