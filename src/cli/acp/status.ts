import { EXIT } from "../../base/exit.ts"
import { type ChannelCheck, channelChecks, newestPause, type PauseRow } from "../../store/jobs/channel.ts"
import { type Command, DATA_FLAG, JSON_FLAG } from "../command.ts"
import { openData } from "../inputs.ts"

export const command: Command = {
  name: "acp status",
  summary: "whether on-chain jobs are taken, and how each serving process found hub, contract and wallet",
  operands: "",
  flags: { ...DATA_FLAG, ...JSON_FLAG },
  examples: ["acp status --data ./data"],
  async run(input) {
    const { store } = await openData(input)
    try {
      const { pause, checks } = await store.read(function* () {
        return { pause: yield* newestPause(), checks: yield* channelChecks() }
      })
      input.out(input.on("json") ? `${JSON.stringify(asJson(pause, checks))}\n` : forPeople(pause, checks))
    } finally {
      await store.close()
    }
    return EXIT.DONE
  },
}

function asJson(pause: PauseRow | null, checks: readonly ChannelCheck[]) {
  return {
    version: 1,
    paused: pause?.action === "PAUSE",
    since: pause?.at ?? null,
    reason: pause?.reason ?? null,
    processes: checks.map(({ at, provider, reasons, platformFeeBp, evaluatorFeeBp, balanceWei }) => ({
      at,
      provider,
      reasons: JSON.parse(reasons) as string[],
      platform_fee_bp: platformFeeBp,
      evaluator_fee_bp: evaluatorFeeBp,
      balance_wei: balanceWei,
    })),
  }
}

function forPeople(pause: PauseRow | null, checks: readonly ChannelCheck[]): string {
  const isPaused = pause?.action === "PAUSE"
  const why = pause ? `  since ${pause.at}: ${pause.reason}` : ""
  const lines = checks.map(({ at, provider, reasons, balanceWei }) => {
    const codes = JSON.parse(reasons) as string[]
    return `${at}  ${codes.length === 0 ? "TAKING JOBS" : codes.join(" ")}  wallet ${provider}  ${balanceWei ?? "?"} wei\n`
  })
  const none = "no process serves jobs: set acp_jobs = on, then start bizauth serve\n"
  return `${isPaused ? "PAUSED" : "NOT PAUSED"}${why}\n${lines.length === 0 ? none : lines.join("")}`
}
