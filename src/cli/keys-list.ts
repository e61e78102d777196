import { canonicalize } from "../core/canonical-json.ts"
import { fingerprint } from "../keys/fingerprint.ts"
import { listServiceKeys } from "../store/service-keys.ts"
import { type Command, DATA_FLAG, JSON_FLAG } from "./command.ts"
import { EXIT } from "./exit.ts"
import { openData } from "./inputs.ts"

export const command: Command = {
  name: "keys list",
  summary: "list the signing keys with status and validity",
  operands: "",
  flags: { ...DATA_FLAG, ...JSON_FLAG },
  async run(input) {
    const { store } = await openData(input)
    const keys = await store.read(() => listServiceKeys("statement"))
    await store.close()
    if (input.on("json")) {
      const listed = keys.map((key) => ({
        kid: key.keyId,
        use: key.use,
        status: key.status,
        created_at: key.createdAt,
        expires_at: key.expiresAt,
        revoked_since: key.revokedSince,
        fingerprint: fingerprint(key.x),
      }))
      input.out(`${canonicalize({ version: 1, keys: listed })}\n`)
      return EXIT.DONE
    }
    for (const key of keys) {
      const until = key.revokedSince ? `since ${key.revokedSince}` : `expires ${key.expiresAt}`
      input.out(`${key.keyId}  ${key.status.padEnd(7)}  created ${key.createdAt}  ${until}\n`)
    }
    return EXIT.DONE
  },
}
