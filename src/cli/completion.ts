import { CommandError, EXIT } from "../base/exit.ts"
import { guess } from "../core/nearest.ts"
import type { Command } from "./command.ts"
import { completionScript, SHELLS } from "./completion-script.ts"

export const command: Command = {
  name: "completion",
  summary: "print the completion script for a shell: bash, zsh or fish",
  operands: "SHELL",
  flags: {},
  examples: ["completion bash"],
  async run(input) {
    const [typed = ""] = input.operands
    const shell = SHELLS.find((known) => known === typed)
    if (shell === undefined) {
      const near = guess(typed, SHELLS) || `; known: ${SHELLS.join(", ")}`
      throw new CommandError(EXIT.USAGE, `no completion for ${typed}${near}`)
    }
    const script = completionScript(shell, await input.everyCommand())
    input.result({ shell, script }, script)
    return EXIT.DONE
  },
}
