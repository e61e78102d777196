/**
 * Runs at build time (a Bun macro). Returns the signing module and all its imports as the text of one module. The text is not minified,
 * because its users run it next to a private key and should read it. It runs a separate command, because a macro must not start the bundler
 * that runs it.
 */
import { join } from "node:path"

const ROOT = join(import.meta.dir, "..", "..", "..")
const ENTRY = "src/jobs/buyer-signing/module.ts"

const BANNER = `/*
 * buyer-signing.mjs: signs the final requirement of an ACP job for a Payment Decision, on the buyer's machine.
 *
 *   import { bindRequirement } from "./buyer-signing.mjs"
 *   const requirement = bindRequirement(draft, actualJob, privateKey)
 *
 * draft       the requirement of the job, with buyer_authorization: null. It does not change.
 * actualJob   { onChainJobId: "7", chainId: 8453, clientAddress: "0x...", providerAddress: "0x..." }, as the official client
 *             read the job after its creation.
 * privateKey  Ed25519 key of the requesting agent: KeyObject, PKCS#8 PEM or private JWK. It stays in this process.
 *
 * Returns a new requirement with buyer_authorization. Throws BindingError with code, field and expected.
 * Its only import is node:crypto. It uses no network, file, environment variable or clock. Licence: Apache-2.0.
 */`

export function publishedSigningModule(): string {
  const command = [process.execPath, "build", "--target=node", "--format=esm", `--banner=${BANNER}`, ENTRY]
  // The bundler writes file names relative to this directory: the text must not depend on the directory in which the build starts.
  const built = Bun.spawnSync(command, { cwd: ROOT, stdout: "pipe", stderr: "pipe" })
  if (built.exitCode !== 0) throw new Error(`the signing module was not bundled: ${built.stderr.toString()}`)
  return built.stdout.toString()
}
