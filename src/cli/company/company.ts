import { CommandError, EXIT } from "../../base/exit.ts"
import { createLog } from "../../base/log.ts"
import { realMachine } from "../../base/machine.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import { openRegisters } from "../../sources/boards/open-register-board.ts"
import type { RegisterState } from "../../sources/boards/register-board.ts"
import type { UsedSnapshot } from "../../sources/boards/source-board.ts"
import { RegisterDamaged } from "../../sources/import/register-file.ts"
import { ukCompaniesHouse } from "../../sources/publishers/uk-companies-house/bulk-adapter.ts"
import type { CompanyRecord } from "../../sources/publishers/uk-companies-house/company-record.ts"
import type { RegisterEntry } from "../../sources/records/register-adapter.ts"
import { type Command, type Input, JSON_FLAG } from "../command.ts"
import { CONFIG_FLAGS, openData, readSettings } from "../inputs.ts"
import { companyLive } from "./live.ts"
import { describeCompany } from "./report.ts"

const ID = ukCompaniesHouse.id

export const command: Command = {
  name: "company",
  summary:
    "show one company by its number, from the imported register of Companies House; with --live from its service",
  operands: "NUMBER",
  flags: {
    ...CONFIG_FLAGS,
    ...JSON_FLAG,
    live: {
      help: "query the Companies House service; needs uk_companies_house_key_file. Without --live no network is used",
    },
  },
  examples: ["company 09876543 --data ./data"],
  async run(input) {
    const [text = ""] = input.operands
    const number = ukCompaniesHouse.canonicalKey("number", text)
    if (number === null) {
      throw new CommandError(
        EXIT.USAGE,
        "a company number is 8 characters, such as 00006400, SC123456, OC301234 or SP2715RS",
      )
    }
    if (input.on("live")) return companyLive(input, number)
    const { entry, state } = await findCompany(input, number)
    if (entry === null && state.snapshot?.isIncomplete) {
      const why = `${ID} has fewer companies than it must have, so a missing ${number} proves nothing`
      throw new CommandError(EXIT.NOT_CHECKED, why)
    }
    if (entry === null) {
      throw new CommandError(EXIT.NOT_FOUND, `no company ${number} in ${ID} ${state.snapshot?.sourceVersion}`)
    }
    input.out(input.on("json") ? `${canonicalize(asJson(entry, state))}\n` : forPeople(entry, state))
    return state.health === "HEALTHY" ? EXIT.DONE : EXIT.NOT_CHECKED
  },
}

async function findCompany(
  input: Input,
  number: string,
): Promise<{ entry: RegisterEntry | null; state: RegisterState }> {
  const disabled = readSettings(input).config.sources_disabled
  const { store, paths } = await openData(input)
  const log = createLog("warn", input.err, realMachine.now)
  const parts = { store, root: paths.snapshots, machine: realMachine, log, adapters: [ukCompaniesHouse], disabled }
  const registers = await openRegisters(parts).finally(() => store.close())
  try {
    const [state] = registers.states(realMachine.now())
    if (!state || state.snapshot === null) {
      throw new CommandError(EXIT.NOT_CHECKED, `${ID} has no snapshot; bizauth sources import ${ID} PATH…`)
    }
    if (state.health === "DISABLED")
      throw new CommandError(EXIT.NOT_CHECKED, `${ID} is switched off (sources_disabled)`)
    return { entry: registers.find(ID, "number", number), state }
  } catch (error) {
    if (!(error instanceof RegisterDamaged)) throw error
    throw new CommandError(EXIT.NOT_CHECKED, `the snapshot of ${ID} is damaged: ${error.message}; import it again`)
  } finally {
    registers.close()
  }
}

function asJson({ record }: RegisterEntry, state: RegisterState) {
  return {
    version: 1,
    source_id: ID,
    health: state.health,
    freshness: state.freshness,
    reason_codes: state.reasonCodes,
    age_seconds: state.ageSeconds,
    snapshot: state.snapshot && {
      snapshot_id: state.snapshot.snapshotId,
      source_version: state.snapshot.sourceVersion,
      source_timestamp: state.snapshot.sourceTimestamp,
      retrieved_at: state.snapshot.retrievedAt,
      raw_sha256: state.snapshot.rawSha256,
      parser_version: state.snapshot.parserVersion,
    },
    record,
  }
}

function publishedText(snapshot: UsedSnapshot | null): string {
  if (snapshot?.limitations.includes("PUBLICATION_UNKNOWN"))
    return `published unknown, retrieved ${snapshot.retrievedAt}`
  return `as of ${snapshot?.sourceTimestamp}`
}

function forPeople({ record }: RegisterEntry, { snapshot, health, ageSeconds }: RegisterState): string {
  return describeCompany(record as unknown as CompanyRecord, [
    ["source", `${ID} ${health}, ${publishedText(snapshot)}, ${Math.floor((ageSeconds ?? 0) / 86_400)} days old`],
    ["snapshot", `${snapshot?.snapshotId}  raw ${snapshot?.rawSha256}`],
  ])
}
