/** One agent's directory and the service that its commands call. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { command as enroll, runEnrol } from "../../../src/cli/agent/enroll.ts"
import { command as keygen } from "../../../src/cli/agent/keygen.ts"
import { readInput } from "../../../src/cli/command.ts"
import { BASE_URL, openService } from "../../products/agent-id/service.ts"

export type AgentCommand = Awaited<ReturnType<typeof openAgentCommand>>

export async function openAgentCommand() {
  const folder = mkdtempSync(join(tmpdir(), "agent-cli-"))
  const path = join(folder, "agent.json")
  const service = await openService()
  let printed = ""
  const terminal = {
    out: (text: string) => {
      printed += text
    },
    err: () => {},
    environment: {},
  }
  return {
    folder,
    /** The key file. It does not exist yet. */
    path,
    service,
    terminal,
    /** All output since the start or the last {@link clear}. */
    printed: () => printed,
    clear: () => {
      printed = ""
    },
    async close(): Promise<void> {
      await service.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The keys are made and enrolled, and nothing is printed yet. */
export async function openEnrolledCommand(): Promise<AgentCommand> {
  const opened = await openAgentCommand()
  const { path, service, terminal } = opened
  await keygen.run(readInput(keygen, ["--out", path], terminal))
  await runEnrol(readInput(enroll, ["--keys", path, "--server", BASE_URL], terminal), service.send)
  opened.clear()
  return opened
}
