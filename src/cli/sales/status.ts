import { CHANNELS } from "../../../schemas/agent-mode/channels.ts"
import { EXIT } from "../../base/exit.ts"
import { type DailyWindow, newestSwitch, type SwitchRow, windowOf } from "../../store/agent-mode/sales-switches.ts"
import type { Unit } from "../../store/engine/unit.ts"
import { type Command, DATA_FLAG, JSON_FLAG } from "../command.ts"
import { openData } from "../inputs.ts"

interface ScopeStatus {
  readonly scope: string
  readonly newest: SwitchRow | null
  readonly window: DailyWindow | null
}

export const command: Command = {
  name: "sales status",
  summary: "what the operator stopped, started and scheduled: all sales, the Intent Beacon, and each channel",
  operands: "",
  flags: { ...DATA_FLAG, ...JSON_FLAG },
  examples: ["sales status --data ./data"],
  async run(input) {
    const { store } = await openData(input)
    try {
      const scopes = await store.read(readAll)
      input.out(
        input.on("json")
          ? `${JSON.stringify({ version: 1, scopes: scopes.map(asJson) })}\n`
          : scopes.map((scope) => `${forPeople(scope)}\n`).join(""),
      )
    } finally {
      await store.close()
    }
    return EXIT.DONE
  },
}

function* readAll(): Unit<ScopeStatus[]> {
  const all: ScopeStatus[] = []
  for (const scope of ["ALL", "BEACON", ...CHANNELS]) {
    all.push({ scope, newest: yield* newestSwitch(scope), window: yield* windowOf(scope) })
  }
  return all
}

const stateOf = ({ newest }: ScopeStatus) => (newest?.action === "STOP" ? "STOPPED" : "RUNNING")

function forPeople(status: ScopeStatus): string {
  const { scope, newest, window } = status
  const hours = window ? `  ${window.opens} to ${window.closes} UTC` : ""
  const why = newest ? `  since ${newest.at}: ${newest.reason}` : ""
  return `${stateOf(status)}  ${scope}${hours}${why}`
}

function asJson(status: ScopeStatus) {
  const { scope, newest, window } = status
  return { scope, state: stateOf(status), since: newest?.at ?? null, reason: newest?.reason ?? null, window }
}
