import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { CLOCK_DEFAULT, JOURNEYS, type Journey, type JourneyResponse } from "../../../schemas/agent-mode/journeys.ts"
import { CommandError, EXIT } from "../../base/exit.ts"
import { asWriteRefusal } from "../../base/system-fault.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import { instant } from "../../core/time.ts"
import { openSandboxSigner } from "../../keys/sandbox-key.ts"
import { type Command, DATA_FLAG, type Input, JSON_FLAG } from "../command.ts"
import { writeNewFile } from "../documents/write-output.ts"
import { openData, readSettings } from "../inputs.ts"
import { clockOf, seedOf } from "./journey-start.ts"

export const command: Command = {
  name: "sandbox run",
  summary: "run one synthetic journey through the real code, signed by the sandbox key of the data directory",
  operands: "JOURNEY",
  flags: {
    ...DATA_FLAG,
    seed: { help: "the same seed and clock give the same payload on every machine (default 0)", value: "N" },
    clock: { help: `RFC 3339 time at which it begins (default ${CLOCK_DEFAULT})`, value: "T" },
    out: { help: "new file for the whole answer", value: "FILE" },
    artifacts: { help: "new folder: one file for each wrapped document", value: "DIR" },
    ...JSON_FLAG,
  },
  examples: ["sandbox run PAYMENT_DECISION_HOLD --data ./data --artifacts ./documents"],
  async run(input) {
    const journey = journeyOf(input)
    const seed = seedOf(input)
    const clock = clockOf(input, instant(CLOCK_DEFAULT))
    const { issuer_id: issuerId } = readSettings(input).config
    const { store, paths } = await openData(input)
    try {
      const signer = await openSandboxSigner(store, paths.keys, issuerId)
      const { playHere } = await import("./play-here.ts")
      input.progress.step({ what: "playing the journey" })
      const answer = await playHere(journey, { seed, clock }, signer)
      writeAnswer(input, answer)
      input.out(input.on("json") ? `${canonicalize(answer)}\n` : textOf(answer))
    } finally {
      await store.close()
    }
    return EXIT.DONE
  },
}

function journeyOf({ operands: [typed = ""] }: Input): Journey {
  const journey = JOURNEYS.find((name) => name === typed)
  if (journey) return journey
  throw new CommandError(EXIT.USAGE, `JOURNEY must be one of ${JOURNEYS.join(", ")}`)
}

function writeAnswer(input: Input, answer: JourneyResponse): void {
  const out = input.text("out")
  if (out !== undefined) writeNewFile(out, canonicalize(answer))
  const folder = input.text("artifacts")
  if (folder === undefined) return
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    throw asWriteRefusal(folder, error)
  }
  for (const [at, artifact] of answer.artifacts.entries()) {
    writeNewFile(join(folder, `${at + 1}-${artifact.payload.artifact_type}.json`), canonicalize(artifact))
  }
}

function textOf({ payload, digest, artifacts }: JourneyResponse): string {
  const steps = payload.transcript.map(({ step, actor, action, operation_id: operation, response }) => {
    const what = action === "CALL" ? `${operation} ${response?.status}` : action
    return `${String(step).padStart(2)}  ${actor.padEnd(18)}  ${what}\n`
  })
  const types = artifacts.map(({ payload: { artifact_type: type } }) => type).join(", ")
  return `${steps.join("")}journey    ${payload.journey}, seed ${payload.seed}, clock ${payload.clock}: synthetic\ndigest     ${digest}\nartifacts  ${types === "" ? "none" : types}\n`
}
