/**
 * Another process that enrols, rotates or revokes keys of the service and kills itself (SIGKILL) at one point: `random N` when it asks
 * for randomness the Nth time, so that every key file is once the last thing written; `before-commit`; `after-commit`, before it moves
 * a file.
 */

import { type Machine, realMachine } from "../../src/base/machine.ts"
import { openDataDirectory } from "../../src/data/data-directory.ts"
import { readPrivateKey } from "../../src/keys/key-file.ts"
import { enrolOwnIdentities } from "../../src/keys/own-identity.ts"
import { replaceOwnKey } from "../../src/keys/own-rotation.ts"
import { deathAt, watchedStore } from "../fixtures/watched-store.ts"

const [what = "", directory = "", point = "", recoveryKey = "", keyId = "", since = ""] = process.argv.slice(2)

const dieAt = deathAt(point)

let requests = 0
const machine: Machine = {
  ...realMachine,
  random: (byteLength) => {
    requests += 1
    dieAt(`random ${requests}`)
    return realMachine.random(byteLength)
  },
}
const onFatal = (error: unknown): never => {
  throw error
}
const { store: real, paths } = await openDataDirectory(directory, { machine, migrate: what === "enrol", onFatal })
const store = watchedStore(real, { before: () => dieAt("before-commit"), after: () => dieAt("after-commit") })
const own = { store, keysDirectory: paths.keys, issuerId: "svc", machine }
if (what === "enrol") await enrolOwnIdentities(own)
if (what === "rotate") await replaceOwnKey(own, "statement", { mode: "ROUTINE" })
if (what === "revoke") {
  const revokes = { keyId, since }
  await replaceOwnKey(own, "statement", { mode: "RECOVERY", recoveryKey: readPrivateKey(recoveryKey), revokes })
}
await store.close()
