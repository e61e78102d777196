import { EXIT, type ExitCode } from "../base/exit.ts"
import { realMachine } from "../base/machine.ts"
import { dataPaths } from "../data/data-paths.ts"
import { answeringLine } from "../data/self-check/answering.ts"
import { type Inspected, inspect } from "../data/self-check/inspected.ts"
import type { Line } from "../data/self-check/line.ts"
import { machineLines } from "../data/self-check/machine.ts"
import { networkLines } from "../data/self-check/network.ts"
import { ownStateLines } from "../data/self-check/own-state.ts"
import { runningLine } from "../data/self-check/running.ts"
import { salesLines } from "../data/self-check/sales.ts"
import { shareLines } from "../data/self-check/shares.ts"
import { sourceLines } from "../data/self-check/sources.ts"
import type { Command, Input } from "./command.ts"
import { requireNoProxy } from "./environment-variables.ts"
import { CONFIG_FLAGS, needData, readSettings } from "./inputs.ts"

export const command: Command = {
  name: "check",
  summary: "everything that is wrong or will be soon, with the way to mend it; changes nothing",
  operands: "",
  flags: {
    ...CONFIG_FLAGS,
    offline: { help: "do not ask nodes, relayer and facilitator" },
    running: { help: "only ask the process that serves from the directory whether it answers, for a health check" },
  },
  examples: ["check --data ./data --offline", "check --data ./data --running"],
  async run(input) {
    const paths = dataPaths(needData(input))
    requireNoProxy(input.environment)
    // A health check is about the process: a fault of the configuration file is no reason to end it.
    if (input.on("running")) return report(input, [await answeringLine(paths.directory)])
    const { config, texts } = readSettings(input)
    const opened = await inspect(paths, config, realMachine)
    const lines: Line[] = [...opened.lines, runningLine(paths.directory, texts)]
    if (opened.found !== null) {
      const { found } = opened
      try {
        for (const [at, { what, check }] of SECTIONS.entries()) {
          input.progress.step({ what, number: { at: at + 1, of: SECTIONS.length } })
          lines.push(...(await check(found, { isOffline: input.on("offline") })))
        }
      } finally {
        opened.close()
      }
    }
    return report(input, lines)
  },
}

function report(input: Input, lines: readonly Line[]): ExitCode {
  const count = (state: Line["state"]) => lines.filter((line) => line.state === state).length
  const problems = count("PROBLEM")
  const summary = `${problems} problems, ${count("NOTE")} notes, ${count("OK")} ok, ${count("NOT_CHECKED")} not checked\n`
  input.result({ problems, lines }, lines.map(printed).join("") + summary)
  return problems > 0 ? EXIT.PROBLEMS : EXIT.DONE
}

interface Section {
  readonly what: string
  readonly check: (found: Inspected, options: { readonly isOffline: boolean }) => Promise<readonly Line[]>
}

const SECTIONS: readonly Section[] = [
  { what: "looking at settings, keys and the log", check: ownStateLines },
  { what: "looking at lists and registers", check: sourceLines },
  { what: "looking at payments", check: salesLines },
  { what: "looking at disk and backups", check: machineLines },
  { what: "looking at shared caps", check: shareLines },
  { what: "asking nodes, relayer and facilitator", check: networkLines },
]

const WORD: Readonly<Record<Line["state"], string>> = {
  OK: "ok",
  NOTE: "note",
  PROBLEM: "PROBLEM",
  NOT_CHECKED: "skipped",
}

function printed({ area, name, state, what, why, mend }: Line): string {
  const first = `${WORD[state].padEnd(8)} ${area} ${name}: ${what}\n`
  return mend === null ? first : `${first}         why   ${why}\n         mend  ${mend}\n`
}
