import { EXIT } from "../../base/exit.ts"
import { fingerprint } from "../../keys/fingerprint.ts"
import { keyFilePath } from "../../keys/key-file.ts"
import { nextKeys } from "../../keys/key-places.ts"
import { type Command, DATA_FLAG } from "../command.ts"
import { openData } from "../inputs.ts"
import { keyUseOf, USE_FLAG } from "./key-use.ts"
import { ISSUER_FLAGS, ownDeps, RECOVERY_FLAG, recoveryKeyAt, replaceKey } from "./own-keys.ts"

export const command: Command = {
  name: "keys rotate",
  summary: "make the promised next key the signing key; signatures of the old key still verify",
  operands: "",
  flags: { ...DATA_FLAG, ...USE_FLAG, ...RECOVERY_FLAG, ...ISSUER_FLAGS },
  examples: ["keys rotate --data ./data"],
  async run(input) {
    const use = keyUseOf(input) ?? "statement"
    const file = input.text("recovery-key")
    const { store, paths } = await openData(input, { forRecovery: file !== undefined })
    try {
      const authority =
        file === undefined
          ? ({ mode: "ROUTINE" } as const)
          : ({ mode: "RECOVERY", recoveryKey: recoveryKeyAt(file), revokes: null } as const)
      const { before, active, nextKeyId } = await replaceKey(ownDeps(input, store, paths), use, authority)
      const next = keyFilePath(nextKeys(paths.keys), nextKeyId)
      const pins = "Everyone who pinned the log's key must pin the new one: bizauth keys export --use log\n"
      input.result(
        { use, active: active.keyId, fingerprint: fingerprint(active.x), rotated: before.keyId, next_key_file: next },
        `ACTIVE   ${active.keyId}
         SHA-256 ${fingerprint(active.x)}
ROTATED  ${before.keyId}
created  ${next}
         the key the next rotation will introduce, promised in this one's event

Running servers sign with the new key within seconds. Back up the new file and publish the fingerprint.
${use === "log" ? pins : ""}`,
      )
      return EXIT.DONE
    } finally {
      await store.close()
    }
  },
}
