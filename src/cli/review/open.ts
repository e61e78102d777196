import type { Config } from "../../base/config.ts"
import { CommandError, EXIT } from "../../base/exit.ts"
import { realMachine } from "../../base/machine.ts"
import { plainText } from "../../core/text/plain-text.ts"
import { formatInstant } from "../../core/time.ts"
import { servingProcess } from "../../data/running-settings.ts"
import { deskOrigin, deskSettings } from "../../desk/desk-settings.ts"
import { hashOfSecret, newSecret } from "../../desk/secrets.ts"
import { reviewerNamed } from "../../store/review/review-register.ts"
import { makeLink } from "../../store/review/review-sessions.ts"
import { type Command, JSON_FLAG } from "../command.ts"
import { asConfigRefusal, CONFIG_FLAGS, openData, readSettings } from "../inputs.ts"
import { nameOf } from "./reviewer-name.ts"

export const command: Command = {
  name: "review open",
  summary: "print a link of five minutes with which one reviewer enters the desk, to enrol a passkey or to show one",
  operands: "NAME",
  flags: { ...CONFIG_FLAGS, ...JSON_FLAG },
  examples: ['review open "R. Reviewer" --data ./data --desk-listen 127.0.0.1:8403'],
  async run(input) {
    const name = nameOf(input.operands[0] ?? "")
    const { config, texts } = readSettings(input)
    const { store, paths } = await openData(input)
    try {
      const origin = originIn(config, servingProcess(paths.directory, texts)?.desk ?? null)
      const link = newSecret(realMachine)
      const at = formatInstant(realMachine.now())
      const until = await store.run(function* () {
        const person = yield* reviewerNamed(name)
        return person && (yield* makeLink({ linkHash: hashOfSecret(link), reviewerId: person.reviewerId, at }))
      })
      if (until === null) {
        throw new CommandError(
          EXIT.NOT_FOUND,
          `no reviewer ${plainText(name)}; enter the person with bizauth review add`,
        )
      }
      const url = `${origin}/enter/${link}`
      input.result({ link: url, until }, `${url}\nOpen it in a browser before ${until}. It works once.\n`)
      return EXIT.DONE
    } finally {
      await store.close()
    }
  },
}

/** `running`: where the process that serves has the desk. Throws CommandError (6) if no process has one and the settings name none. */
function originIn(config: Config, running: string | null): string {
  if (running !== null) return running
  const settings = settingsOf(config)
  if (settings === null) {
    throw new CommandError(
      EXIT.CONFIG,
      "the desk is off: set desk_listen, such as 127.0.0.1:8403, and start the server again",
    )
  }
  const { address } = settings
  const port = address.kind === "tcp" ? address.port : 0
  if (settings.url === null && port === 0) {
    throw new CommandError(
      EXIT.CONFIG,
      "desk_listen takes any free port, and no server runs that knows which: start it first",
    )
  }
  return deskOrigin(settings, port)
}

function settingsOf(config: Config) {
  try {
    return deskSettings(config)
  } catch (error) {
    throw asConfigRefusal(error)
  }
}
