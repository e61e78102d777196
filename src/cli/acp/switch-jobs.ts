import { CommandError, EXIT, type ExitCode } from "../../base/exit.ts"
import { realMachine } from "../../base/machine.ts"
import { formatInstant } from "../../core/time.ts"
import { newestPause, recordPause } from "../../store/jobs/channel.ts"
import { type Command, DATA_FLAG, type Input } from "../command.ts"
import { openData } from "../inputs.ts"

export const PAUSE_FLAGS: Command["flags"] = {
  ...DATA_FLAG,
  why: { help: "the reason, 1 to 200 characters; kept", value: "TEXT", required: true },
}

/** Records a pause or a resumption. Running processes see it at their next look. */
export async function switchJobs(input: Input, action: "PAUSE" | "RESUME"): Promise<ExitCode> {
  const reason = input.need("why")
  if (!/^[^\p{C}]{1,200}$/u.test(reason)) {
    throw new CommandError(EXIT.USAGE, "--why must be 1 to 200 characters without control characters")
  }
  const { store } = await openData(input)
  try {
    const at = formatInstant(realMachine.now())
    const newest = await store.run(function* () {
      const before = yield* newestPause()
      yield* recordPause({ at, action, reason })
      return before
    })
    const was = newest?.action === "PAUSE"
    input.result(
      { state: action === "PAUSE" ? "PAUSED" : "RUNNING", was_paused: was },
      action === "PAUSE"
        ? `${was ? "still paused" : "paused"}: no budget is proposed; jobs with a budget go on\n`
        : `${was ? "resumed" : "not paused before"}: new jobs are served\n`,
    )
  } finally {
    await store.close()
  }
  return EXIT.DONE
}
